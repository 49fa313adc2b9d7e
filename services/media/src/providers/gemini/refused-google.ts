import { googleFailure, membersOf, providerRequestId, UpstreamError } from '@gateway/upstream';
import { refusedBy } from '../refusal';
import type { JsonReply } from '../send-json';

/** Returns what an error of Google's means. */
export function refusedGoogle({ status, headers, value }: JsonReply): UpstreamError {
  const failure = googleFailure({ status, body: value });
  if (failure) return new UpstreamError(failure, providerRequestId(headers));
  const { message } = membersOf(membersOf(Array.isArray(value) ? value[0] : value).error);
  return refusedBy({ status, headers, message });
}
