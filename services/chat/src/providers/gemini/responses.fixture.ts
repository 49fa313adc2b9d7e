import { SseSplitter } from '@gateway/upstream';
import { dataOf } from '../../sse/sse-data';
import { recording } from '../recorded-replies.fixture';

/** Gemini 3: a thought, a text in pieces, and a signature on an empty text at the end. */
export const TEXT_CHUNKS = new SseSplitter()
  .push(recording('gemini', 'thinking.sse'))
  .map((event) => JSON.parse(dataOf(event)));

/** Two complete calls in one chunk; only the first is signed; the finish reason is that of a text. */
export const CALLS = wholeReply('tool-calls.json');

/** The prompt was refused: a 200 without candidates. */
export const BLOCKED = wholeReply('blocked-prompt.json');

export const QUOTA_ERROR = wholeReply('error-quota.json');
export const BAD_KEY_ERROR = wholeReply('error-key.json');

export function eventOf(response: object): Buffer {
  return Buffer.from(`data: ${JSON.stringify(response)}\r\n\r\n`);
}

function wholeReply(file: string) {
  return JSON.parse(recording('gemini', file).toString());
}
