import type { RepeatBy } from '../images/rules/image-timeout';
import type { KeptReply } from './rules/idempotency';

/** What a call has to say about itself while it goes on, for others with its key. */
export interface OwnKey {
  /** Before the provider is called. @throws GatewayError when the key is no longer ours */
  dispatched(): Promise<void>;
  /** Others get this too, whether or not our own caller is still there. */
  answered(reply: KeptReply): Promise<void>;
  /** It may be made again: nobody pays for what was. */
  free(): Promise<void>;
  /** Nobody will ever know what became of it. */
  lost(): Promise<void>;
  /** Its caller is answered before it ends. Keeps its answer for a repeated call, and returns how to send that. */
  late(): Promise<RepeatBy>;
}
