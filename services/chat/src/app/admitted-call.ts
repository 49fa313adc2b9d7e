import type { BilledModel } from '../domain/settlement-event';
import type { PlannedCall } from './plan-call';
import type { Admitted } from './reserve-call';

/** An admitted call to one model. */
export interface AdmittedCall
  extends Admitted,
    Pick<PlannedCall, 'request' | 'model' | 'requestedModel' | 'routes' | 'session' | 'body'> {
  readonly accountId: string;
  /** Only the provider's figures tell what the call uses, at one of its models, so it continues when the client disconnects. */
  readonly usageIsHidden: boolean;
  /** What the call is billed as if this model answers; absent: as it was admitted. */
  readonly billedAs?: BilledModel;
  /** The call to each model that is tried, in this order, when every route of this one has failed. */
  readonly fallbacks: readonly AdmittedCall[];
}
