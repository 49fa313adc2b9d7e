import type { StopReason } from '../../domain/reply';

const REASONS: ReadonlyMap<string, StopReason> = new Map([
  ['end_turn', 'end'],
  ['max_tokens', 'length'],
  ['stop_sequence', 'stop_sequence'],
  ['tool_use', 'tool_calls'],
  ['pause_turn', 'pause'],
  ['refusal', 'refusal'],
  ['model_context_window_exceeded', 'context_full'],
]);

/** An unknown reason only means that the turn has ended. */
export function fromStopReason(reason: string): StopReason {
  return REASONS.get(reason) ?? 'end';
}
