import { toEnvelope } from './envelope';
import type { GatewayError } from './gateway-error';

/**
 * How a format reports an error within a stream: OpenAI's chat completions as the data of an unnamed event; Anthropic's as an event
 * named `error`, because its clients skip unnamed events; OpenAI's responses as a failed response, because clients lose the message of
 * an `error` event; Google's as data whose `code` is a status, because its clients ignore any other.
 */
export type StreamErrors = 'data' | 'event' | 'response' | 'google';

/** A call whose stream broke. */
export interface BrokenCall {
  readonly requestId: string;
  readonly createdAtMs: number;
}

/** Returns the server-sent event that ends a broken stream. */
export function toErrorFrame(error: GatewayError, streamErrors: Exclude<StreamErrors, 'response'>): string;
export function toErrorFrame(error: GatewayError, streamErrors: StreamErrors, call: BrokenCall): string;
export function toErrorFrame(error: GatewayError, streamErrors: StreamErrors, call?: BrokenCall): string {
  const envelope = toEnvelope(error);
  if (streamErrors === 'data') return `data: ${JSON.stringify(envelope)}\n\n`;
  if (streamErrors === 'response' && call) return failedResponse(error, call);
  if (streamErrors === 'google') return googleError(error);
  return `event: error\ndata: ${JSON.stringify({ type: 'error', ...envelope })}\n\n`;
}

/** For a stream whose service is lost: what it has sent is not known here. */
function failedResponse(error: GatewayError, { requestId, createdAtMs }: BrokenCall): string {
  const response = {
    id: `resp_${requestId}`,
    object: 'response',
    created_at: Math.floor(createdAtMs / 1_000),
    status: 'failed',
    error: toResponseError(error),
    output: [],
  };
  const event = { type: 'response.failed', sequence_number: 0, response };
  return `event: response.failed\ndata: ${JSON.stringify(event)}\n\n`;
}

/** Returns the error of a failed response. */
export const toResponseError = ({ code, publicMessage, detail }: GatewayError): ResponseError => ({
  code,
  message: publicMessage,
  ...(detail !== undefined && { detail }),
});

export interface ResponseError {
  readonly code: string;
  readonly message: string;
  readonly detail?: string;
}

function googleError({ code, row, publicMessage, detail }: GatewayError): string {
  const error = {
    code: row.status,
    status: code,
    message: publicMessage,
    ...(detail !== undefined && { detail }),
  };
  return `data: ${JSON.stringify({ error })}\n\n`;
}
