import type { BilledModel } from '../domain/settlement-event';
import type { PlannedCall } from './plan-call';
import type { Admitted } from './reserve-call';

/** An admitted call as it is sent to one model. */
export interface ModelCall
  extends Admitted,
    Pick<PlannedCall, 'request' | 'model' | 'requestedModel' | 'routes' | 'session'> {
  readonly accountId: string;
  /** The detail of an error follows in its message. */
  readonly detailedMessages: boolean;
  /** Request body for the first route; absent: written when it is sent. */
  readonly body?: Buffer;
  /** Only the provider's figures tell what the call uses, at one of its models, so it continues when the client disconnects. */
  readonly usageIsHidden: boolean;
  /** What the call is billed as if this model answers; absent: as it was admitted. */
  readonly billedAs?: BilledModel;
}

/** An admitted call, first to the model that it was planned for. */
export interface AdmittedCall extends ModelCall {
  readonly body: Buffer;
  /** The call to each model that is tried, in this order, when every route of this one has failed. */
  readonly fallbacks: readonly ModelCall[];
}
