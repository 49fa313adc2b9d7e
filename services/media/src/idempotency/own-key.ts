import type { RepeatBy } from '../images/rules/image-timeout';
import type { StoredReply } from './rules/idempotency';

/** Updates the state of a call's key, for repeated calls. */
export interface OwnKey {
  /** Called before a provider is called. @throws GatewayError when the key belongs to another call now */
  dispatched(): Promise<void>;
  /** Repeated calls get this response, whether or not the client is still connected. */
  answered(reply: StoredReply): Promise<void>;
  /** The call may be repeated: the first attempt is not charged. */
  free(): Promise<void>;
  /** The outcome will never be known. */
  lost(): Promise<void>;
  /** The client is answered before the call ends. Stores the response for repeated calls and returns how to send it. */
  late(): Promise<RepeatBy>;
}
