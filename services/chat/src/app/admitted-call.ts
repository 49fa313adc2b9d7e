import type { RateFigures } from '@gateway/errors';
import type { CallerRequest } from '../domain/caller-request';
import type { Model } from '../domain/model';
import type { Route } from '../domain/route';
import type { MeteredCall } from './metered-call';
import type { RateReport } from './rate-report';

/** An admitted call and where it may go. */
export interface AdmittedCall {
  readonly accountId: string;
  readonly request: CallerRequest;
  readonly model: Model;
  /** In the order in which they are tried; at least one. */
  readonly routes: readonly Route[];
  /** For the first of them, unless less output is paid for than was asked for. */
  readonly body: Buffer;
  readonly metered: MeteredCall;
  /** Only the provider's figures tell what it uses, so it goes on when its caller disconnects. */
  readonly usageIsHidden: boolean;
  /** Absent: its key has no TPM limit. */
  readonly rateReport: RateReport | undefined;
  /** Output per choice to ask the provider for, when funds pay for no more. */
  readonly loweredMaxTokens: number | undefined;
  /** Of all choices together, as far as it is paid for. */
  readonly outputTokens: number;
  /** Of the admission, for the answer if the call fails. */
  readonly rates: RateFigures;
  /** Of the admission, for the answer. */
  readonly headers: Readonly<Record<string, string>>;
}
