import { pipeline } from 'node:stream/promises';
import { errorHeaders, GatewayError, toEnvelope } from '@gateway/errors';
import type { Logger } from '@gateway/process';
import type { Request, Response } from 'express';
import type { StreamedFile } from '../routes/streamed-file';
import { hasBody } from './json-body';

/** A slow client's download ends after this time. */
const FILE_TIMEOUT_MS = 10 * 60_000;

export function sendJson(response: Response, value: unknown): void {
  sendText(response, 200, JSON.stringify(value));
}

/**
 * Sends the parts as the client takes them. Closes the connection if a part fails, and rejects with its error; or if the client
 * disconnects or takes too long.
 */
export async function sendFile(
  response: Response,
  { mediaType, name, parts }: StreamedFile,
  signal: AbortSignal,
): Promise<void> {
  response.status(200).set({
    'content-type': `${mediaType}; charset=utf-8`,
    'content-disposition': `attachment; filename="${name}"`,
  });
  const ended = AbortSignal.any([signal, AbortSignal.timeout(FILE_TIMEOUT_MS)]);
  await pipeline(parts, response, { signal: ended }).catch((error: NodeJS.ErrnoException) => {
    if (error.name !== 'AbortError' && error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  });
}

export function sendError(request: Request, response: Response, thrown: unknown, log: Logger): void {
  const error = toGatewayError(thrown);
  if (error.code === 'internal_error') log.error({ err: error.cause ?? error }, 'call failed');
  if (response.headersSent) {
    response.destroy();
    return;
  }
  // The rest of an unread body would be taken for the next request.
  if (hasBody(request) && !request.complete && !request.readableFlowing)
    response.setHeader('connection', 'close');
  response.set(errorHeaders(error));
  sendText(response, error.row.status, JSON.stringify(toEnvelope(error)));
}

/** Does not use `send` of Express, which answers a conditional request with a bare 304. */
function sendText(response: Response, status: number, json: string): void {
  response.status(status).type('application/json').end(json);
}

function toGatewayError(thrown: unknown): GatewayError {
  if (thrown instanceof GatewayError) return thrown;
  // The router could not decode the path, so no route matches.
  if (thrown instanceof URIError) return new GatewayError('not_found');
  return GatewayError.from(thrown);
}
