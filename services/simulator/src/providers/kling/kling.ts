import { sendError } from '../play';
import { playPoll, playSubmit } from '../play-task';
import type { Provider, ProviderDeps } from '../provider';
import { errorOfStatus } from './error';
import { videoDialect } from './video-dialect';
import { type KlingAction, parseVideoRequest } from './video-request';

const VIDEOS_PATH = /^\/v1\/videos\/(text2video|image2video)(?:\/([\w-]{1,64}))?$/;

/** @param secret that callers sign their tokens with */
export function createKling(deps: ProviderDeps, secret: string): Provider {
  const dialect = videoDialect(secret, deps.nowMs);
  return {
    name: 'kling',
    handle(call, path) {
      const [, action, taskId] = VIDEOS_PATH.exec(path) ?? [];
      if (call.req.method === 'GET' && taskId !== undefined) return playPoll(call, deps, dialect, taskId);
      if (call.req.method !== 'POST' || action === undefined || taskId !== undefined) {
        return sendError(call, deps, dialect, errorOfStatus(404));
      }
      return playSubmit(call, deps, dialect, (body) => parseVideoRequest(body, action as KlingAction));
    },
  };
}
