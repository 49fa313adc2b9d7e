import { textOf } from '@gateway/upstream';
import { agreedStop } from '../../domain/finish-reasons';
import type { StopReason } from '../../domain/reply';

const STOPS: ReadonlyMap<string, StopReason> = new Map([
  ['COMPLETE', 'end'],
  ['STOP_SEQUENCE', 'stop_sequence'],
  ['MAX_TOKENS', 'length'],
  ['TOOL_CALL', 'tool_calls'],
]);
const FAILURES: ReadonlySet<string> = new Set(['ERROR', 'TIMEOUT']);

/**
 * Returns why the model stopped; an unknown reason is treated as an end.
 * @throws Error when the reply failed
 */
export function readFinishReason(finishReason: unknown, calls: number): StopReason {
  const reason = textOf(finishReason);
  if (FAILURES.has(reason)) throw new Error('provider ended its reply with a failure');
  return agreedStop(STOPS.get(reason), calls);
}
