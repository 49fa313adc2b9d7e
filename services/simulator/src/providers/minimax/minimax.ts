import { sendError } from '../handle-call';
import { handleTaskPoll, handleTaskSubmit } from '../handle-task';
import type { Provider, ProviderDeps } from '../provider';
import { errorOfStatus } from './error';
import { videoProtocol } from './video-protocol';
import { parseVideoRequest } from './video-request';

const SUBMIT_PATH = '/v2/video_generation';
const QUERY_PATH = /^\/v2\/query\/video_generation\/([\w-]{1,64})$/;

export function createMinimax(deps: ProviderDeps): Provider {
  return {
    name: 'minimax',
    handle(call, path) {
      const taskId = QUERY_PATH.exec(path)?.[1];
      if (call.req.method === 'GET' && taskId !== undefined)
        return handleTaskPoll(call, deps, videoProtocol, taskId);
      if (call.req.method !== 'POST' || path !== SUBMIT_PATH) {
        return sendError(call, deps, videoProtocol, errorOfStatus(404));
      }
      return handleTaskSubmit(call, deps, videoProtocol, parseVideoRequest);
    },
  };
}
