import { jsonReply, type LinkHandler } from '@gateway/link';
import { type KnownTaskDeps, knownTask } from '../videos/known-task';
import { toTaskJson } from '../videos/video-json';

/** `POST /v1/videos/{provider}/status`: what is written down of the task. Its provider is the poller's to ask. */
export function getVideoStatus(deps: KnownTaskDeps): LinkHandler {
  return async (context, call) => {
    const { task, headers } = await knownTask(deps, context, call, 'status');
    return jsonReply(toTaskJson(task), headers);
  };
}
