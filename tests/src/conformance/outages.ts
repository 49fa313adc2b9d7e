import type { ServiceName } from '@gateway/local-stack';
import type { ConformanceCase } from './case';
import {
  CHATS,
  type EndpointCall,
  getApi,
  getDashboard,
  IMAGES,
  SPEECH,
  STREAMED_CHATS,
} from './endpoint-calls';

/** A service that is down, and the calls that fail without it. */
export interface Outage {
  readonly down: ServiceName;
  readonly cases: readonly ConformanceCase[];
}

const unanswered = (...calls: readonly EndpointCall[]): ConformanceCase[] =>
  calls.map(({ endpoint, send }) => ({ code: 'internal_error', when: endpoint, provoke: send }));

const STORED = [getApi('/v1/responses/resp_1'), getApi('/v1/responses/resp_1/input_items')];
const MODELS = [getApi('/v1/models'), getApi('/v1/models/sim/chat')];

export const OUTAGES: readonly Outage[] = [
  {
    down: 'billing',
    cases: unanswered(
      ...CHATS,
      ...STREAMED_CHATS,
      ...IMAGES,
      SPEECH,
      ...MODELS,
      ...STORED,
      getDashboard('/api/v1/billing/balance'),
      getDashboard('/api/v1/keys'),
    ),
  },
  { down: 'chat', cases: unanswered(...CHATS, ...STREAMED_CHATS, ...MODELS) },
  { down: 'media', cases: unanswered(...IMAGES, SPEECH) },
  { down: 'storage', cases: unanswered(...STORED) },
  { down: 'dashboard', cases: unanswered(getDashboard('/api/v1/models'), getDashboard('/api/v1/keys')) },
];
