import { usdFromNano } from '@gateway/money';
import { chargedNano } from './rules/charged-nano';
import type { GeneratedVideo } from './rules/video-provider';
import type { VideoTask } from './rules/video-task';

const timeText = (ms: number) => new Date(ms).toISOString();

/** A task as the API returns it. */
export function toTaskJson(
  task: Pick<VideoTask, 'id' | 'model' | 'state' | 'createdAtMs'> & Partial<VideoTask>,
) {
  const { id, model, state, createdAtMs, endedAtMs, videoMs, detail } = task;
  const isFailure = state === 'failed' || state === 'canceled' || state === 'expired';
  return {
    task_id: id,
    status: state,
    model,
    created_at: timeText(createdAtMs),
    ...(endedAtMs !== undefined && { ended_at: timeText(endedAtMs) }),
    ...(videoMs !== undefined && { duration: Number(videoMs) / 1_000 }),
    ...(isFailure && {
      error: {
        code: 'video_generation_failed',
        message: 'Video generation failed.',
        ...(detail !== undefined && { detail }),
      },
    }),
  };
}

/** The same for a task that has just been created. */
export function toCreatedJson(task: VideoTask) {
  const { task_id, status, model, created_at } = toTaskJson(task);
  return { task_id, status, model, created_at };
}

/** The same in a list, which OpenAI's clients page through by `id`. */
export function toListedJson(task: VideoTask) {
  const { task_id, ...shown } = toTaskJson(task);
  const nano = chargedNano(task);
  return {
    id: task_id,
    object: 'video',
    task_id,
    ...shown,
    cost: nano === undefined ? null : usdFromNano(nano),
    request_id: task.requestId,
  };
}

export function toVideoJson({ url, durationSeconds, expiresAtMs }: GeneratedVideo, defaultSeconds: number) {
  return {
    url,
    duration: durationSeconds ?? defaultSeconds,
    expires_at: expiresAtMs === undefined ? null : timeText(expiresAtMs),
  };
}
