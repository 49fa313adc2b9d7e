import { sendError } from '../play';
import { playPoll, playSubmit } from '../play-task';
import type { Provider, ProviderDeps } from '../provider';
import { errorOfStatus } from './error';
import { videoDialect } from './video-dialect';
import { parseVideoRequest } from './video-request';

const SUBMIT_PATH = '/v2/video_generation';
const QUERY_PATH = /^\/v2\/query\/video_generation\/([\w-]{1,64})$/;

export function createMinimax(deps: ProviderDeps): Provider {
  return {
    name: 'minimax',
    handle(call, path) {
      const taskId = QUERY_PATH.exec(path)?.[1];
      if (call.req.method === 'GET' && taskId !== undefined)
        return playPoll(call, deps, videoDialect, taskId);
      if (call.req.method !== 'POST' || path !== SUBMIT_PATH) {
        return sendError(call, deps, videoDialect, errorOfStatus(404));
      }
      return playSubmit(call, deps, videoDialect, parseVideoRequest);
    },
  };
}
