import type { ChatProtocol, TextRequest } from '../chat-protocol';
import { errorOfStatus } from './error';
import { toFrame, toResponse, toStream } from './generate-format';
import { authorize, geminiHeaders } from './headers';

/** Without `contentPolicy`: Google says so in a reply of status 200. */
export const generateProtocol: ChatProtocol<TextRequest> = {
  provider: 'gemini',
  overloadedStatus: 503,
  reportsCacheWrites: false,
  authorize,
  headers: geminiHeaders,
  errorOfStatus,
  toBody: toResponse,
  toStream,
  toErrorFrame: toFrame,
};
