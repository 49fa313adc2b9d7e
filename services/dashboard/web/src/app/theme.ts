import { type CSSVariablesResolver, createTheme, DEFAULT_THEME, type MantineColor } from '@mantine/core';

/** The list itself scrolls: its input scrolls it by keyboard, and a scroll area inside would not be announced. */
const LISTBOX = {
  defaultProps: { withScrollArea: false },
  styles: { options: { maxHeight: 260, overflowY: 'auto' } },
} as const;

export const theme = createTheme({
  primaryColor: 'indigo',
  // Dark enough under white text, and bright enough on a dark page.
  primaryShade: { light: 7, dark: 7 },
  autoContrast: true,
  defaultRadius: 'md',
  cursorType: 'pointer',
  headings: { fontWeight: '650' },
  components: {
    Autocomplete: LISTBOX,
    MultiSelect: LISTBOX,
    Select: LISTBOX,
    // Nothing comes before the first entry.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    Modal: { styles: { title: { fontWeight: 650 } } },
    // Part of a dialog; screen readers would announce it as a second banner of the page.
    ModalHeader: { defaultProps: { role: 'none' } },
    Notification: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } },
  },
});

const HUES = Object.keys(DEFAULT_THEME.colors).filter((color) => color !== 'dark' && color !== 'gray');

/** Coloured text, on the page and on its light background. The darkest yellow is still too bright on white. */
const textColors = (shade: (color: MantineColor) => string) =>
  Object.fromEntries(
    HUES.flatMap((color) => [
      [`--mantine-color-${color}-text`, shade(color)],
      [`--mantine-color-${color}-light-color`, shade(color)],
    ]),
  );

/** Mantine's own greys and hues have too little contrast for WCAG AA. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    ...textColors((color) => `color-mix(in srgb, var(--mantine-color-${color}-9), black 30%)`),
    '--mantine-color-dimmed': 'var(--mantine-color-gray-7)',
    '--mantine-color-placeholder': 'var(--mantine-color-gray-6)',
    '--mantine-color-error': 'var(--mantine-color-red-9)',
  },
  dark: {
    ...textColors((color) => `var(--mantine-color-${color}-3)`),
    '--mantine-color-dimmed': 'var(--mantine-color-dark-1)',
    '--mantine-color-placeholder': 'var(--mantine-color-dark-2)',
    '--mantine-color-error': 'var(--mantine-color-red-4)',
  },
});
