/** Whether a text has more characters than that: whole ones (code points), as providers count them. */
export const isLonger = (text: string, maxChars: number): boolean =>
  text.length > maxChars && Array.from(text).length > maxChars;
