import { videoCostNano } from './video-price';
import type { VideoTask } from './video-task';

/** Returns what a task is charged: at most its hold, nothing without a video. Undefined until it has ended. */
export function chargedNano(task: VideoTask): bigint | undefined {
  const { state, costNano = 0n, requestedMs, perSecondNano } = task;
  if (state === 'queued' || state === 'running') return undefined;
  const heldNano = videoCostNano(requestedMs, perSecondNano);
  if (costNano > heldNano) return heldNano;
  return costNano;
}
