import type { Dialect } from '../dialect';
import { contentPolicy, errorOfStatus } from './error';
import { toMessage } from './message-format';
import { toStreamFrames } from './message-stream';
import type { MessagesRequest } from './messages-request';
import { anthropicHeaders, readTerms } from './terms';

export const messagesDialect: Dialect<MessagesRequest> = {
  provider: 'anthropic',
  overloadedStatus: 529,
  tellsCacheWrites: true,
  authorize: ({ req }) => void readTerms(req.headers),
  headers: anthropicHeaders,
  errorOfStatus,
  contentPolicy,
  toBody: toMessage,
  toStream: (script) => ({ frames: toStreamFrames(script) }),
  toErrorFrame: (body) => `event: error\ndata: ${JSON.stringify(body)}\n\n`,
};
