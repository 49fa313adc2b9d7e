/** Both official SDKs of Anthropic drop a frame that has no `event:` line. @param data one line of JSON */
export function namedFrame(event: string, data: string): string {
  return `event: ${event}\ndata: ${data}\n\n`;
}
