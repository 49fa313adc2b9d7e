/** The longest event; those of chat have a few kilobytes, and with audio a few megabytes. */
const MAX_EVENT_CHARS = 32 * 1024 * 1024;

/** Yields the data of each event of a stream of server-sent events. What follows the last empty line is no event. */
export async function* readEventData(texts: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  let held = '';
  let data: string[] = [];
  let dataChars = 0;
  for await (const text of texts) {
    held += text;
    if (held.length + dataChars > MAX_EVENT_CHARS) throw new RangeError('an event of the stream is too long');
    if (!/[\r\n]/.test(text)) continue;
    // A CR at the end may be half of a CR LF.
    const end = held.endsWith('\r') ? held.length - 1 : held.length;
    const lines = held.slice(0, end).split(/\r\n|\r|\n/);
    held = (lines.pop() ?? '') + held.slice(end);
    for (const line of lines) {
      if (line.startsWith('data:')) data.push(line.slice(line[5] === ' ' ? 6 : 5));
      if (line !== '' || data.length === 0) {
        dataChars += line.length;
        continue;
      }
      yield data.join('\n');
      data = [];
      dataChars = 0;
    }
  }
}
