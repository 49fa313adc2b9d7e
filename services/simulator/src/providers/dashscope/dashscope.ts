import { sendError } from '../handle-call';
import { handleTaskPoll, handleTaskSubmit } from '../handle-task';
import type { Provider, ProviderDeps } from '../provider';
import { errorOfStatus, notAsync } from './error';
import { videoProtocol } from './video-protocol';
import { parseVideoRequest } from './video-request';

const SUBMIT_PATH = '/api/v1/services/aigc/video-generation/video-synthesis';
const TASK_PATH = /^\/api\/v1\/tasks\/([\w-]{1,64})$/;

export function createDashScope(deps: ProviderDeps): Provider {
  return {
    name: 'dashscope',
    handle(call, path) {
      const taskId = TASK_PATH.exec(path)?.[1];
      if (call.req.method === 'GET' && taskId !== undefined)
        return handleTaskPoll(call, deps, videoProtocol, taskId);
      if (call.req.method !== 'POST' || path !== SUBMIT_PATH) {
        return sendError(call, deps, videoProtocol, errorOfStatus(404));
      }
      return handleTaskSubmit(call, deps, videoProtocol, (body) => {
        if (call.req.headers['x-dashscope-async'] !== 'enable') throw notAsync();
        return parseVideoRequest(body);
      });
    },
  };
}
