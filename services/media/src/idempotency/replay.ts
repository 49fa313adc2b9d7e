import { GatewayError, rateHeaders } from '@gateway/errors';
import { type LinkCall, type LinkReply, UNRECORDED } from '@gateway/link';
import type { RequestContext } from '@gateway/rpc';
import type { Admission } from '../billing/admission';
import type { Replayable } from './idempotent-calls';

/**
 * Returns a stored response to a caller that may still make the call: it counts against RPM but costs nothing, and only then
 * its body is loaded.
 */
export async function replay(
  admission: Pick<Admission, 'admitFree'>,
  context: RequestContext,
  call: LinkCall,
  { status, headers, open }: Replayable,
): Promise<LinkReply> {
  const { rates } = await admission.admitFree(context, call);
  const body = await open();
  if (body) return { status, headers: { ...headers, ...rateHeaders(rates), [UNRECORDED]: 'true' }, body };
  throw new GatewayError('invalid_request', {
    detail: 'Idempotency-Key: the response to the first request is no longer stored',
    shouldRetry: false,
  });
}
