import { membersOf, retryAfterOf, showableMessage, textOf, type UpstreamFailure } from '@gateway/upstream';
import type { RefusedResponse } from '../../domain/chat-provider';

/** Exceptions that reject the credential itself (IAM User Guide, "Common errors"); Bedrock answers 403 or 400. */
const REJECTED_CREDENTIAL =
  /^(UnrecognizedClient|InvalidSignature|SignatureDoesNotMatch|IncompleteSignature|MissingAuthenticationToken|InvalidClientTokenId|ExpiredToken|RequestExpired|NotAuthorized)/;
/** The same for API keys, whose exception is that of any missing permission. Matched at the start: messages quote the call. */
const REJECTED_KEY = /^(authentication failed|bearer token|the security token|api key)/i;
/**
 * Our account lacks the model, or the catalog names it wrongly, which Bedrock reports as a validation of the call (User Guide,
 * "Troubleshooting API error codes").
 */
const OUR_MODEL =
  /^(invocation of model id \S+ with on-demand throughput|the provided model identifier is invalid|access to bedrock models is not allowed|operation not allowed|your account)/i;
/** A 400, although the call may succeed later. */
const QUOTA = /^ServiceQuotaExceeded/;

/**
 * Returns what an error response means: the exception is named in a header, its message is a member of the body. An exception
 * in a stream has the name in the member `error` (`toServerSentEvents`).
 */
export function refusedConverse({ status, headers, body }: RefusedResponse): UpstreamFailure {
  const members = membersOf(body);
  const type = textOf(headers['x-amzn-errortype']) || textOf(members.__type);
  const message = textOf(members.message) || textOf(members.Message);
  // A type may have a namespace before it, or an address after it.
  const name = type.slice(type.indexOf('#') + 1);
  if (REJECTED_CREDENTIAL.test(name)) return { kind: 'status', status: 401 };
  if (status === 403 && REJECTED_KEY.test(message)) return { kind: 'status', status: 401 };
  if (status === 400 && OUR_MODEL.test(message)) return { kind: 'status', status: 404 };
  const shown = showableMessage(message);
  const meant = QUOTA.test(name) ? 429 : status;
  const seconds = retryAfterOf({ status: meant, headers, message });
  return {
    kind: 'status',
    status: meant,
    ...(shown !== undefined && { message: shown }),
    ...(seconds !== undefined && { retryAfterSeconds: seconds }),
  };
}
