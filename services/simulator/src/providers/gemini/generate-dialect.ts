import type { CallRequest, Dialect } from '../dialect';
import { authorize, geminiHeaders } from './access';
import { errorOfStatus } from './error';
import { toFrame, toResponse, toStream } from './generate-format';

/** Without `contentPolicy`: Google says so in a reply of status 200. */
export const generateDialect: Dialect<CallRequest> = {
  provider: 'gemini',
  overloadedStatus: 503,
  tellsCacheWrites: false,
  authorize,
  headers: geminiHeaders,
  errorOfStatus,
  toBody: toResponse,
  toStream,
  toErrorFrame: toFrame,
};
