import { textOf } from '@gateway/upstream';
import { agreedStop } from '../../domain/finish-reasons';
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

/** Undefined for a reason that is not known. */
export const reportedStop = (reason: unknown): StopReason | undefined => REASONS.get(textOf(reason));

/** An unknown reason only means that the turn has ended. @param calls number of tool calls */
export function readStopReason(reason: unknown, calls: number): StopReason {
  return agreedStop(reportedStop(reason), calls);
}
