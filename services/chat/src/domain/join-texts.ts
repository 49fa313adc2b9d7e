const ENDS_IN_SPACE = /\s$/;
const STARTS_WITH_SPACE = /^\s/;

/**
 * Returns the texts as one. The separator stands where two of them meet without white space, for white space is the caller's own
 * separator; empty texts are left out.
 */
export function joinTexts(texts: readonly string[], separator: string): string {
  let joined = '';
  for (const text of texts) {
    if (text === '') continue;
    const meets = joined === '' || ENDS_IN_SPACE.test(joined.slice(-1)) || STARTS_WITH_SPACE.test(text);
    joined += meets ? text : separator + text;
  }
  return joined;
}
