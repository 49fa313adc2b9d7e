import { membersOf } from '@gateway/upstream';
import { agreedStop } from '../../domain/finish-reasons';
import type { StopReason } from '../../domain/reply';

/** `StopReason` of Converse (SDK 3.1164). */
const REASONS: ReadonlyMap<string, StopReason> = new Map([
  ['end_turn', 'end'],
  ['max_tokens', 'length'],
  ['stop_sequence', 'stop_sequence'],
  ['tool_use', 'tool_calls'],
  ['guardrail_intervened', 'refusal'],
  ['content_filtered', 'refusal'],
  ['model_context_window_exceeded', 'context_full'],
]);

/** Failures of the model rather than the caller: a retry may succeed. */
const FAILURES: ReadonlySet<string> = new Set(['malformed_model_output', 'malformed_tool_use']);

/**
 * Returns why the model stopped; an unknown reason only means that the turn has ended.
 * @throws Error when the reply failed
 */
export function readStopReason(reason: string, calls: number): StopReason {
  if (FAILURES.has(reason)) throw new Error(`stopped by ${reason}`);
  return agreedStop(REASONS.get(reason), calls);
}

/**
 * Returns the stop sequence that was generated; undefined if there is none. Claude's own field, which requests ask for: a
 * member of the reply, or of the last delta of a stream.
 */
export function readStopSequence(fields: unknown): string | undefined {
  const { stop_sequence: whole, delta } = membersOf(fields);
  const sequence = whole ?? membersOf(delta).stop_sequence;
  return typeof sequence === 'string' ? sequence : undefined;
}
