import type { Page } from 'playwright-core';

/** Installed before the page's scripts, so that it observes from the start. */
export const WATCH_SHIFTS = `window.layoutShifts = [];
new PerformanceObserver((list) => {
  for (const { value, hadRecentInput, sources } of list.getEntries()) {
    if (hadRecentInput) continue;
    const moved = sources.map(({ node }) => (node?.parentElement ?? node)?.textContent?.slice(0, 60));
    window.layoutShifts.push({ value, moved });
  }
}).observe({ type: 'layout-shift', buffered: true });`;

interface LayoutShift {
  readonly value: number;
  /** Start of the elements that moved. */
  readonly moved: readonly (string | undefined)[];
}

const LOADING = '.mantine-Skeleton-root, .mantine-Loader-root';

/**
 * Waits until nothing on the page is loading. Not with a condition as text, whose evaluation the content security
 * policy forbids.
 */
export async function waitUntilLoaded(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.locator(LOADING).first().waitFor({ state: 'detached' });
}

/** Cumulative layout shift; browsers rate higher values as poor. */
const MAX_LAYOUT_SHIFT = 0.25;

/** Returns the layout shifts while the page was loading if their sum is too high. */
export async function excessiveShifts(page: Page): Promise<readonly LayoutShift[]> {
  const shifts: LayoutShift[] = await page.evaluate('window.layoutShifts');
  return shifts.reduce((sum, { value }) => sum + value, 0) < MAX_LAYOUT_SHIFT ? [] : shifts;
}

/** Returns by how many pixels the page is wider than the window. */
export const excessWidthPx = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - window.innerWidth');

/** Returns the transferred bytes of all scripts that the page has loaded. */
export const scriptBytes = (page: Page): Promise<number> =>
  page.evaluate(`performance.getEntriesByType('resource')
    .filter(({ name }) => new URL(name).pathname.endsWith('.js'))
    .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`);
