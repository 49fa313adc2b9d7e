import { type AnyErrorCode, DASHBOARD_ERROR_TABLE, ERROR_TABLE, type ErrorRow } from '@gateway/errors';
import { expectConforms, type Particulars } from '../support/conforms';
import type { HttpAnswer } from '../support/http';
import { EVENT_END, isError } from './translated';

const ROWS: Readonly<Record<AnyErrorCode, ErrorRow>> = { ...ERROR_TABLE, ...DASHBOARD_ERROR_TABLE };

/**
 * Checks that a response is within the contract: a complete 2xx, or the error envelope of one of these codes.
 * @throws the violation
 */
export function expectWithinContract(answer: HttpAnswer, codes: ReadonlySet<AnyErrorCode>): void {
  if (answer.status >= 200 && answer.status < 300) expectWhole(answer);
  else expectEnvelope(answer, codes);
}

function expectEnvelope(answer: HttpAnswer, codes: ReadonlySet<AnyErrorCode>): void {
  const code: AnyErrorCode = answer.json?.error?.code;
  if (!codes.has(code)) throw new Error(`${answer.status} ${answer.text.slice(0, 300)}`);
  // The fuzzer cannot know the effect of a mutation on these.
  const { param, limit, used, resets_at, details } = answer.json.error;
  const retryAfter = answer.headers['retry-after'];
  const particulars: Particulars = {
    param,
    ...(details && { formatCode: details.error_code }),
    cap: { limit, used, ...(resets_at && { resetsAt: new Date(resets_at) }) },
    retryAfter: retryAfter === undefined ? 'never' : 'must',
    shouldRetry: answer.headers['x-should-retry'] === 'false' ? 'false' : 'none',
  };
  expectConforms(answer, code, particulars);
  if (ROWS[code].status === 500) throw new Error(`a fuzzed call returned ${code}`);
}

function expectWhole(answer: HttpAnswer): void {
  const type = `${answer.headers['content-type']}`;
  if (type.startsWith('text/event-stream')) expectStreamEnd(answer.text);
  else if (type.startsWith('application/json')) {
    if (answer.json === undefined) throw new Error(`not JSON: ${answer.text.slice(0, 300)}`);
  } else if (!EXPORTS.has(type) && (!isText(type) || answer.text === ''))
    throw new Error(`content type ${type}`);
  if (!answer.headers['x-request-id']) throw new Error('no request id');
}

const isText = (type: string): boolean =>
  type.startsWith('text/html') ||
  type.startsWith('audio/') ||
  CONTENT_OF_FILES.has(type) ||
  TRANSCRIPTS.has(type);

/** Of stored files, whatever they hold, and of results of batches. */
const CONTENT_OF_FILES = new Set(['application/octet-stream', 'application/x-jsonl']);

/** Of the audit log, which has no lines for some days. */
const EXPORTS = new Set(['text/csv; charset=utf-8', 'application/x-ndjson; charset=utf-8']);

/** Types of transcripts that are neither JSON nor events. */
const TRANSCRIPTS = new Set(['text/plain; charset=utf-8', 'text/vtt; charset=utf-8']);
/** Types of the last event of Anthropic's messages, and of OpenAI's responses, audio and images. */
const LAST_TYPES = new Set([
  'message_stop',
  'response.completed',
  'response.incomplete',
  'response.failed',
  'speech.audio.done',
  'transcript.text.done',
  'image_generation.completed',
  'image_edit.completed',
]);

/** Checks that a stream ends with its format's last event or with an error event. */
function expectStreamEnd(text: string): void {
  const last = text.trimEnd().split(EVENT_END).at(-1) ?? '';
  if (isLastOfFormat(last) || isError(last)) return;
  throw new Error(`invalid end of a stream: ${JSON.stringify(text.slice(-300))}`);
}

/** Reads a stream as clients do: passed-through bytes have the provider's white space and line ends. */
function isLastOfFormat(event: string): boolean {
  const lines = event.split(/\r\n|\r|\n/).filter((line) => line.startsWith('data:'));
  const data = lines.map((line) => line.slice(line[5] === ' ' ? 6 : 5)).join('\n');
  if (data === '[DONE]') return true;
  try {
    return LAST_TYPES.has(JSON.parse(data)?.type);
  } catch {
    return false;
  }
}
