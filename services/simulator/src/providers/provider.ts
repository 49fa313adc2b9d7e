import type { Meter } from '../domain/meter';
import type { ReplyWriter } from '../domain/reply';
import type { TaskStore } from '../domain/task-store';
import type { Tokenizer } from '../domain/tokenizer';
import type { Call } from '../http/call';

/** A provider played on the wire. */
export interface Provider {
  /** Also the first segment of its paths: `/openai/v1/…`. */
  readonly name: string;
  /** @param path without the provider's segment and the query */
  handle(call: Call, path: string): void | Promise<void>;
}

export interface ProviderDeps {
  readonly meter: Meter;
  readonly tasks: TaskStore;
  readonly tokenizer: Tokenizer;
  readonly replies: ReplyWriter;
  /** 32 lowercase hex digits, new at each call. */
  readonly newId: () => string;
  readonly nowMs: () => number;
  readonly maxBodyBytes: number;
}
