/** Whether a text has more characters than that, counted in code points as providers do. */
export const isLonger = (text: string, maxChars: number): boolean =>
  text.length > maxChars && Array.from(text).length > maxChars;
