import type { ChatProtocol } from '../chat-protocol';
import { contentPolicy, errorOfStatus } from './error';
import { anthropicHeaders, readApiHeaders } from './headers';
import { toMessage } from './message-format';
import { toStreamFrames } from './message-stream';
import type { MessagesRequest } from './messages-request';

export const messagesProtocol: ChatProtocol<MessagesRequest> = {
  provider: 'anthropic',
  overloadedStatus: 529,
  reportsCacheWrites: true,
  authorize: ({ req }) => void readApiHeaders(req.headers),
  headers: anthropicHeaders,
  errorOfStatus,
  contentPolicy,
  toBody: toMessage,
  toStream: (context) => ({ frames: toStreamFrames(context) }),
  toErrorFrame: (body) => `event: error\ndata: ${JSON.stringify(body)}\n\n`,
};
