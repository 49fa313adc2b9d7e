import { CLIENT_DISCONNECTED, failedBy } from '@gateway/call-billing';
import { GatewayError } from '@gateway/errors';
import { type HttpResponse, NOT_SENT } from '@gateway/http-client';
import type { RequestContext } from '@gateway/rpc';
import { failureOf, nameProviderRequest, toGatewayError } from '@gateway/upstream';
import type { Model } from '../domain/model';
import { ReplyMemoryExhausted } from '../domain/reply-memory';
import type { MeteredChatCall } from './metered-chat-call';

/** A call that failed before its answer. */
export interface UnansweredCall {
  readonly metered: Pick<MeteredChatCall, 'release' | 'writeOff'>;
  readonly model: Pick<Model, 'slug'>;
  /** Only the provider's figures tell what the call used. */
  readonly usageIsHidden: boolean;
  /** Ends a call whose client disconnected, and whose provider may charge for it. */
  abandon(): Promise<unknown>;
}

/**
 * Ends a call that was not answered, unless it is settled already. It is free; what its provider may charge is an operator loss.
 * Returns the error for its client.
 * @param headers of the provider's response, if there was one
 */
export async function endUnanswered(
  context: RequestContext,
  { metered, model, usageIsHidden, abandon }: UnansweredCall,
  thrown: unknown,
  headers: HttpResponse['headers'] = {},
): Promise<GatewayError> {
  const error = thrown instanceof GatewayError ? thrown : toGatewayError(failureOf(thrown));
  if (!context.signal.aborted) {
    const isWrittenOff = usageIsHidden && !isUncharged(thrown);
    await metered[isWrittenOff ? 'writeOff' : 'release'](failedBy(error));
    nameProviderRequest(error.cause, headers);
    context.log.warn({ model: model.slug, code: error.code, err: error.cause }, 'provider failed');
  } else if (isUncharged(thrown)) await metered.release(CLIENT_DISCONNECTED);
  else await abandon();
  return error;
}

/** Whether the provider certainly charges nothing: it did not receive the complete call, or it refused it. */
const isUncharged = (thrown: unknown): boolean =>
  (thrown as { code?: unknown }).code === NOT_SENT ||
  (thrown instanceof GatewayError && !(thrown instanceof ReplyMemoryExhausted)) ||
  failureOf(thrown).kind !== 'broken';

/** Records that the call is sent to a provider. @throws if its client has disconnected, so that it must not be sent */
export async function dispatch(
  { signal }: RequestContext,
  metered: MeteredChatCall,
  inputTokens: number,
): Promise<void> {
  await metered.dispatched(inputTokens);
  if (signal.aborted) throw Object.assign(new Error('client disconnected'), { code: NOT_SENT });
}
