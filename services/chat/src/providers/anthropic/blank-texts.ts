import type { TextPart } from '../../domain/conversation';

const SOMETHING = /\S/;

/** The API refuses empty text and text of white space only. */
export function isBlank(text: string): boolean {
  return !SOMETHING.test(text);
}

export function isBlankText(part: { readonly kind: string } | TextPart): boolean {
  return part.kind === 'text' && isBlank((part as TextPart).text);
}

/**
 * Returns the parts without blank texts: white space between texts is added to the text before it, or else to the text after it, and
 * is left out where there is neither. The same list if there are none.
 */
export function withoutBlankTexts<Part extends { readonly kind: string }>(
  parts: readonly (Part | TextPart)[],
): readonly (Part | TextPart)[] {
  if (!parts.some(isBlankText)) return parts;
  const joined: (Part | TextPart)[] = [];
  let blank: TextPart | undefined;
  for (const part of parts) {
    if (!isText(part)) {
      joined.push(part);
      blank = undefined;
      continue;
    }
    const last = joined.at(-1);
    if (!isBlank(part.text)) joined.push(withText(blank, part));
    else if (last && isText(last)) joined[joined.length - 1] = withText(last, part);
    else {
      blank = withText(blank, part);
      continue;
    }
    blank = undefined;
  }
  return joined;
}

const isText = (part: { readonly kind: string }): part is TextPart => part.kind === 'text';

/** Returns two texts as one, which ends a prefix worth caching if one of them does. */
const withText = (first: TextPart | undefined, second: TextPart): TextPart =>
  first ? { ...second, text: first.text + second.text, cache: second.cache ?? first.cache } : second;
