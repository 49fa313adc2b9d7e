import { jsonReply, type LinkHandler } from '@gateway/link';
import { type ResolveTaskDeps, resolveTask } from '../videos/resolve-task';
import { toTaskJson } from '../videos/video-json';

/** Handles `POST /v1/videos/{provider}/status` from the database; only the poller asks the provider. */
export function getVideoStatus(deps: ResolveTaskDeps): LinkHandler {
  return async (context, call) => {
    const { task, headers } = await resolveTask(deps, context, call, 'status');
    return jsonReply(toTaskJson(task), headers);
  };
}
