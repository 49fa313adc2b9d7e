import { jsonReply, type LinkHandler } from '@gateway/link';
import { costHeader } from '@gateway/money';
import type { RequestContext } from '@gateway/rpc';
import { type ResolveTaskDeps, resolveTask } from '../videos/resolve-task';
import { chargedNano } from '../videos/rules/charged-nano';
import type { GeneratedVideo } from '../videos/rules/video-provider';
import type { VideoTask } from '../videos/rules/video-task';
import { toTaskJson, toVideoJson } from '../videos/video-json';
import type { VideoLinks } from '../videos/video-links';
import type { VideoStatusClient } from '../videos/video-status-client';

export interface GetVideoResultDeps extends ResolveTaskDeps {
  readonly statusClient: VideoStatusClient;
  readonly links: VideoLinks;
}

/** Handles `POST /v1/videos/{provider}/result`: queries new links, because they expire. */
export function getVideoResult(deps: GetVideoResultDeps): LinkHandler {
  return async (context, call) => {
    const { task, headers } = await resolveTask(deps, context, call, 'result');
    const { task_id, status, error } = toTaskJson(task);
    const videos =
      task.state === 'completed' ? await videosOf(deps, context, task, call.headers['x-edge-origin']) : [];
    const defaultSeconds = Number(task.videoMs ?? task.requestedMs) / 1_000;
    const shown = videos.map((video) => toVideoJson(video, defaultSeconds));
    const cost = task.state === 'completed' ? costHeader(chargedNano(task) ?? 0n) : {};
    return jsonReply({ task_id, status, videos: shown, ...(error && { error }) }, { ...headers, ...cost });
  };
}

async function videosOf(
  { statusClient, links }: GetVideoResultDeps,
  context: RequestContext,
  task: VideoTask,
  listener: string | undefined,
): Promise<readonly GeneratedVideo[]> {
  const videos = await statusClient.videosOf(context, task);
  if (!statusClient.isGuarded(task)) return videos;
  return videos.map((video, index) => ({ ...video, ...links.to(task, index, listener) }));
}
