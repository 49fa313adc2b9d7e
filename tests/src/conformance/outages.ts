import type { ServiceName } from '@gateway/local';
import { bearer, CHAT_ENDPOINTS, CHAT_FORMATS } from './caller';
import type { ConformanceCase } from './case';

/** A service that is down, and the calls that can't be answered without it. */
export interface Outage {
  readonly down: ServiceName;
  readonly cases: readonly ConformanceCase[];
}

const chats: readonly ConformanceCase[] = CHAT_ENDPOINTS.map((endpoint) => ({
  code: 'internal_error',
  when: `POST ${endpoint.path}`,
  provoke: ({ caller, customer }) => caller.chat(customer.apiKey, {}, endpoint),
}));
const streamedChats: readonly ConformanceCase[] = CHAT_FORMATS.map((endpoint) => ({
  code: 'internal_error',
  when: `POST ${endpoint.path}, streamed`,
  provoke: ({ caller, customer }) => caller.chat(customer.apiKey, { stream: true }, endpoint),
}));
const images: readonly ConformanceCase[] = ['/v1/images', '/v1/images/generations'].map((path) => ({
  code: 'internal_error',
  when: `POST ${path}`,
  provoke: ({ caller, customer }) =>
    caller.api('POST', path, bearer(customer.apiKey), { model: 'sim/image', prompt: 'A cat.' }),
}));
const getApi = (path: string): ConformanceCase => ({
  code: 'internal_error',
  when: `GET ${path}`,
  provoke: ({ caller, customer }) => caller.api('GET', path, bearer(customer.apiKey)),
});
const getDashboard = (path: string): ConformanceCase => ({
  code: 'internal_error',
  when: `GET ${path}`,
  provoke: ({ caller, customer }) => caller.dashboard('GET', path, bearer(customer.token)),
});

export const OUTAGES: readonly Outage[] = [
  {
    down: 'billing',
    cases: [
      ...chats,
      ...streamedChats,
      ...images,
      getApi('/v1/models'),
      getApi('/v1/models/sim/chat'),
      getDashboard('/api/v1/billing/balance'),
      getDashboard('/api/v1/keys'),
    ],
  },
  { down: 'chat', cases: [...chats, ...streamedChats, getApi('/v1/models'), getApi('/v1/models/sim/chat')] },
  { down: 'media', cases: images },
  { down: 'dashboard', cases: [getDashboard('/api/v1/models'), getDashboard('/api/v1/keys')] },
];
