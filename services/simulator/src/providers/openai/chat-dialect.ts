import type { Dialect } from '../dialect';
import { toChatCompletion, toStreamFrames } from './chat-format';
import { type ChatRequest, checkReplySize } from './chat-request';
import { contentPolicy, errorOfStatus } from './error';
import { authorize, openAiHeaders } from './headers';

export const chatDialect: Dialect<ChatRequest> = {
  provider: 'openai',
  overloadedStatus: 503,
  tellsCacheWrites: true,
  authorize,
  headers: openAiHeaders,
  errorOfStatus,
  contentPolicy,
  toBody(script) {
    checkReplySize(script);
    return toChatCompletion(script);
  },
  toStream(script) {
    checkReplySize(script);
    return { frames: toStreamFrames(script) };
  },
  toErrorFrame: (body) => `data: ${JSON.stringify(body)}\n\n`,
};
