import type { Owner, UsageEvent } from '@gateway/call-billing';
import type { DispatchedCall } from '../domain/settlement-event';
import type { TokenUsage } from '../domain/usage';

/**
 * Keeps what this process's calls use until billing has it. *Dispatched* and *progress* survive a kill of the process; a *final*
 * is durable when its promise resolves.
 */
export interface UsageJournal {
  /** Of the holds of this process's calls. */
  readonly owner: Owner;
  /** False when the journal is nearly full or fails: new calls must be refused. */
  readonly admits: boolean;
  /** Resolves when the dispatch would be known after a kill of this process. */
  dispatched(call: DispatchedCall, inputTokens: number): Promise<void>;
  /** Not awaited: the next record replaces it. */
  progress(requestId: string, usage: TokenUsage): void;
  /** Resolves when the call's end is durable. */
  final(event: UsageEvent): Promise<void>;
  /** Billing has the call's end: its records are no longer needed. */
  acknowledge(requestId: string): void;
}
