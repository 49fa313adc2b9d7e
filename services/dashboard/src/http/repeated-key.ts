/**
 * Whether any object in the text names a key twice: `JSON.parse` would keep the last one in silence, and
 * another reader on the way the first. The text must have been parsed before: its syntax is not checked again.
 */
export function hasRepeatedKey(json: string): boolean {
  /** What the objects around hold so far; nothing for an array. */
  const around: (Set<string> | undefined)[] = [];
  let stringAt = 0;
  let stringEnd = 0;
  for (let at = 0; at < json.length; at += 1) {
    const char = json[at];
    if (char === '"') {
      stringAt = at;
      at = closingQuote(json, at);
      stringEnd = at + 1;
    } else if (char === ':') {
      const key: string = JSON.parse(json.slice(stringAt, stringEnd));
      const keys = around.at(-1);
      if (keys?.has(key)) return true;
      keys?.add(key);
    } else if (char === '{') {
      around.push(new Set());
    } else if (char === '[') {
      around.push(undefined);
    } else if (char === '}' || char === ']') {
      around.pop();
    }
  }
  return false;
}

function closingQuote(json: string, openingAt: number): number {
  let at = openingAt + 1;
  while (at < json.length && json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
  return at;
}
