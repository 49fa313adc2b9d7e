import type { RateFigures } from '@gateway/errors';
import type { CallerRequest } from '../domain/caller-request';
import type { Model } from '../domain/model';
import type { Route } from '../domain/route';
import type { MeteredChatCall } from './metered-chat-call';
import type { RateReporter } from './rate-reporter';

/** An admitted call and its possible targets. */
export interface AdmittedCall {
  readonly accountId: string;
  readonly request: CallerRequest;
  readonly model: Model;
  /** In the order in which they are tried; at least one. */
  readonly routes: readonly Route[];
  /** Absent if there is one route, or the prompt is too short to be cached. */
  readonly session: string | undefined;
  /** Request body for the first route, unless fewer output tokens are paid for than requested. */
  readonly body: Buffer;
  readonly metered: MeteredChatCall;
  /** Only the provider's figures tell what the call uses, so it continues when the client disconnects. */
  readonly usageIsHidden: boolean;
  /** Absent if the key has no TPM limit. */
  readonly rateReport: RateReporter | undefined;
  /** Output tokens per choice to request from the provider, if funds pay for fewer than requested. */
  readonly loweredMaxTokens: number | undefined;
  /** Output tokens of all choices that are paid for. */
  readonly outputTokens: number;
  /** The key's remaining rates, for the response if the call fails. */
  readonly rates: RateFigures;
  /** Response headers from the admission. */
  readonly headers: Readonly<Record<string, string>>;
}
