import { sendError } from '../handle-call';
import { handleTaskPoll, handleTaskSubmit } from '../handle-task';
import type { Provider, ProviderDeps } from '../provider';
import { errorOfStatus } from './error';
import { videoProtocol } from './video-protocol';
import { type KlingAction, parseVideoRequest } from './video-request';

const VIDEOS_PATH = /^\/v1\/videos\/(text2video|image2video)(?:\/([\w-]{1,64}))?$/;

/** @param secret that callers sign their tokens with */
export function createKling(deps: ProviderDeps, secret: string): Provider {
  const protocol = videoProtocol(secret, deps.nowMs);
  return {
    name: 'kling',
    handle(call, path) {
      const [, action, taskId] = VIDEOS_PATH.exec(path) ?? [];
      if (call.req.method === 'GET' && taskId !== undefined)
        return handleTaskPoll(call, deps, protocol, taskId);
      if (call.req.method !== 'POST' || action === undefined || taskId !== undefined) {
        return sendError(call, deps, protocol, errorOfStatus(404));
      }
      return handleTaskSubmit(call, deps, protocol, (body) => parseVideoRequest(body, action as KlingAction));
    },
  };
}
