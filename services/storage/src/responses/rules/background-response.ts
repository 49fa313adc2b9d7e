import { GatewayError, toResponseError } from '@gateway/errors';
import type { CallEnd } from '../../calls/rules/call-end';
import { MAX_RESPONSE_BYTES } from './response-limits';

/** A response in the background that has ended. */
export interface ResponseEnd {
  readonly status: string;
  /** JSON. */
  readonly response: Buffer;
  /** It has no output, so that nothing can continue it. */
  readonly isVoid: boolean;
}

const ID_PREFIX = 'resp_';

/** Returns the id that the items of a response contain, and its first attempt has. */
export const ownIdOf = (responseId: string): string => responseId.slice(ID_PREFIX.length);

/** Returns the response to a call that has ended. @param queued JSON of the queued response */
export function endedResponse(queued: Buffer, inputBytes: number, end: CallEnd): ResponseEnd {
  if ('error' in end) return failedResponse(queued, end.error, end.requestId);
  const { body } = end.reply;
  if (inputBytes + body.length > MAX_RESPONSE_BYTES) return failedResponse(queued, tooLarge(), end.requestId);
  const reply = JSON.parse(body.toString());
  // The client knows the response since then.
  const { created_at } = JSON.parse(queued.toString());
  const response = Buffer.from(JSON.stringify({ ...reply, created_at }));
  return { status: reply.status, response, isVoid: reply.status === 'failed' };
}

/** @param requestId of the last attempt; absent: none was sent */
export function failedResponse(queued: Buffer, failure: GatewayError, requestId?: string): ResponseEnd {
  const error = { ...toResponseError(failure), ...(requestId && { request_id: requestId }) };
  return withoutOutput(queued, 'failed', { error });
}

export const cancelledResponse = (queued: Buffer): ResponseEnd => withoutOutput(queued, 'cancelled');

function withoutOutput(queued: Buffer, status: 'failed' | 'cancelled', members: object = {}): ResponseEnd {
  const response = { ...JSON.parse(queued.toString()), status, ...members };
  return { status, response: Buffer.from(JSON.stringify(response)), isVoid: true };
}

const tooLarge = () =>
  new GatewayError('internal_error', { detail: 'the response has more than 12 MiB with its input' });
