import type { IncomingMessage } from 'node:http';
import { GatewayError } from '@gateway/errors';
import { parseJsonObject } from '@gateway/json-body';

const MAX_BODY_BYTES = 1024 * 1024;
/** Edge sends a body once it is complete. */
const BODY_TIMEOUT_MS = 30_000;
/** More than any call has. */
const MAX_VALUES = 250_000;
const JSON_TYPE = /^application\/json\s*(?:;|$)/i;
const FOREIGN_CHARSET = /;\s*charset\s*=(?!\s*"?utf-?8"?\s*(?:;|$))/i;

/**
 * Returns the JSON body; undefined if the request has none. Throws `invalid_request` before the rest of the body is read, unlike
 * the parser of Express, which reads a body that is too large to its end.
 */
export async function readJsonBody(request: IncomingMessage): Promise<unknown> {
  if (!hasBody(request)) return undefined;
  return parseJsonObject(await readRawBody(request), { maxValues: MAX_VALUES }).value;
}

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Returns the unparsed bytes of a JSON body; none if the request has no body. Throws `invalid_request`. */
export async function readRawBody(request: IncomingMessage): Promise<Buffer> {
  if (!hasBody(request)) return Buffer.alloc(0);
  const { headers } = request;
  const type = headers['content-type'] ?? '';
  if (!JSON_TYPE.test(type)) throw invalid('Content-Type is not application/json');
  if (FOREIGN_CHARSET.test(type)) throw invalid('the charset is not utf-8');
  // A compressed body could expand to far more than its size.
  if (headers['content-encoding'] !== undefined) throw invalid('compressed request bodies are not accepted');
  if (Number(headers['content-length'] ?? 0) > MAX_BODY_BYTES) throw tooLarge();
  return readBytes(request);
}

function readBytes(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const giveUp = (error: GatewayError) => {
      clearTimeout(timer);
      request.removeAllListeners('data').pause();
      reject(error);
    };
    const timer = setTimeout(() => giveUp(invalid('the body did not arrive in time')), BODY_TIMEOUT_MS);
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_BODY_BYTES) giveUp(tooLarge());
      else chunks.push(chunk);
    });
    request.on('end', () => {
      clearTimeout(timer);
      resolve(Buffer.concat(chunks));
    });
    request.on('error', () => giveUp(invalid('the request body is incomplete')));
  });
}

const tooLarge = () => invalid('the body is larger than 1 MiB');
const invalid = (detail: string) => new GatewayError('invalid_request', { detail });
