import type { Meter } from '../domain/meter';
import type { ReplyWriter } from '../domain/reply';
import type { TaskStore } from '../domain/task-store';
import type { Tokenizer } from '../domain/tokenizer';
import type { Call } from '../http/call';

/** A simulated provider. */
export interface Provider {
  /** Also the first segment of its paths, such as `/openai/v1/…`. */
  readonly name: string;
  /** @param path without the provider's segment and the query */
  handle(call: Call, path: string): void | Promise<void>;
}

export interface ProviderDeps {
  readonly meter: Meter;
  readonly tasks: TaskStore;
  readonly tokenizer: Tokenizer;
  readonly replies: ReplyWriter;
  /** Returns 32 lowercase hex digits, unique per call. */
  readonly newId: () => string;
  readonly nowMs: () => number;
  readonly maxBodyBytes: number;
}
