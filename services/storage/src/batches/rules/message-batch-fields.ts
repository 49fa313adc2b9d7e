import { GatewayError } from '@gateway/errors';
import { isEmpty, missingParameter, parseJsonObject, requireFields } from '@gateway/json-body';
import { MAX_LINE_BYTES, MAX_LINE_VALUES } from './input-line';

/** Fewer than a line may have, which has the fields of a call too. */
const MAX_VALUES = MAX_LINE_VALUES - 10;
/** As Anthropic's API has it. */
const MAX_REQUESTS = 100_000;
const CUSTOM_ID = /^[\w-]{1,64}$/;

/**
 * Parses the body of `POST /v1/messages/batches`.
 * @returns the lines of an input file, one for each request
 * @throws GatewayError `invalid_request`, `missing_parameter`
 */
export function parseMessageBatch(bytes: Buffer): readonly Buffer[] {
  const { value, members } = parseJsonObject(bytes, { maxValues: MAX_VALUES });
  for (const name of Object.keys(value))
    if (name !== 'requests') throw invalid(`${name.slice(0, 64)}: unknown field`, name);
  const { requests } = value;
  requireFields(value, ['requests']);
  if (!Array.isArray(requests) || requests.length > MAX_REQUESTS)
    throw invalid(`requests: not a list of 1 to ${MAX_REQUESTS} requests`, 'requests');
  // The requests are serialized again, which would round it.
  if (members.some(({ hasLongInteger }) => hasLongInteger))
    throw invalid('requests: an integer is longer than 15 digits', 'requests');
  const ids = new Set<string>();
  return requests.map((request: unknown, index) => {
    const at = `requests[${index}]`;
    if (!isObject(request)) throw invalid(`${at}: not an object`, at);
    const { custom_id: customId, params, ...others } = request;
    const [unknown] = Object.keys(others);
    if (unknown !== undefined) throw invalid(`${at}.${unknown.slice(0, 64)}: unknown field`, at);
    for (const name of ['custom_id', 'params'])
      if (isEmpty(request[name])) throw missingParameter(`${at}.${name}`);
    if (typeof customId !== 'string' || !CUSTOM_ID.test(customId))
      throw invalid(`${at}.custom_id: not 1 to 64 letters, digits, _ and -`, `${at}.custom_id`);
    if (ids.has(customId)) throw invalid(`${at}.custom_id: not unique`, `${at}.custom_id`);
    ids.add(customId);
    if (!isObject(params)) throw invalid(`${at}.params: not an object`, `${at}.params`);
    const line = { custom_id: customId, method: 'POST', url: '/v1/messages', body: params };
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
    // Numbers such as 1e20 are longer when they are serialized.
    if (bytes.length > MAX_LINE_BYTES) throw invalid(`${at}: too large`, at);
    return bytes;
  });
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const invalid = (detail: string, param: string) => new GatewayError('invalid_request', { detail, param });
