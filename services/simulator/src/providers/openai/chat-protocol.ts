import type { ChatProtocol } from '../chat-protocol';
import { toChatCompletion, toStreamFrames } from './chat-format';
import { type ChatRequest, checkReplySize } from './chat-request';
import { contentPolicy, errorOfStatus } from './error';
import { authorize, openAiHeaders } from './headers';

export const chatProtocol: ChatProtocol<ChatRequest> = {
  provider: 'openai',
  overloadedStatus: 503,
  reportsCacheWrites: true,
  authorize,
  headers: openAiHeaders,
  errorOfStatus,
  contentPolicy,
  toBody(context) {
    checkReplySize(context);
    return toChatCompletion(context);
  },
  toStream(context) {
    checkReplySize(context);
    return { frames: toStreamFrames(context) };
  },
  toErrorFrame: (body) => `data: ${JSON.stringify(body)}\n\n`,
};
