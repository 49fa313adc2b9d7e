import { GatewayError } from './gateway-error.ts';

/** The longest event; those of chat have a few kilobytes, and with audio a few megabytes. */
const MAX_EVENT_CHARS = 32 * 1024 * 1024;

/**
 * Yields the data of each event of a stream of server-sent events. What follows the last empty line is no event.
 * @throws GatewayError `unexpected_response` if an event is too long
 */
export async function* readEventData(texts: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  let held = '';
  let data: string[] = [];
  let dataChars = 0;
  for await (const text of texts) {
    held += text;
    if (held.length + dataChars > MAX_EVENT_CHARS) throw tooLong();
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

const tooLong = () => new GatewayError('unexpected_response', 'An event of the stream is too long.');
