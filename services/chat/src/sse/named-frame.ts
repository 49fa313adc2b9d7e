/** Returns a frame with an `event:` line: both official Anthropic SDKs drop frames without it. @param data one line of JSON */
export function namedFrame(event: string, data: string): string {
  return `event: ${event}\ndata: ${data}\n\n`;
}
