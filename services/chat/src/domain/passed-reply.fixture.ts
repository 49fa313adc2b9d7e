import type { PassedReply } from './chat-provider';

/** A call to which a reply may pass. */
export const PASSED_TO: PassedReply = {
  identity: { requestId: '01a2', model: 'sim/chat', createdAtMs: 0 },
  request: { parsed: {} },
};
