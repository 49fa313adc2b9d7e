import { expect } from '@jest/globals';
import { EXACT_TOKENS, exactTokensBody } from '../support/exact-call';
import type { HttpAnswer } from '../support/http';
import type { Customer } from '../support/system';
import { bearer, type ChatEndpoint, COMPLETIONS, COUNT_TOKENS, MESSAGES } from './caller';
import type { World } from './case';

const RPM = 10;
const TPM = 10_000;
const WINDOW = '60s';
/** Reset of a window that an earlier call used, possibly some seconds ago. */
export const WITHIN_WINDOW: unknown = expect.stringMatching(/^([1-9]|[1-5]\d|60)s$/);

/** The rate-limit headers of the response to a key's last call. */
export interface RateHeaderCase {
  readonly when: string;
  readonly key: object;
  /** Only the last call may be refused. */
  readonly calls: readonly ((world: World, customer: Customer) => Promise<HttpAnswer>)[];
  /** Status of the last response; 200 by default. */
  readonly status?: number;
  /** All headers that begin with `x-ratelimit-`, without the prefix. */
  readonly headers: Readonly<Record<string, unknown>>;
}

type Call = RateHeaderCase['calls'][number];

/** The body is valid in both formats. */
const chatBy =
  (endpoint: ChatEndpoint): Call =>
  ({ caller }, { apiKey }) =>
    caller.chatBytes(apiKey, exactTokensBody, endpoint);
const streamedBy =
  (endpoint: ChatEndpoint): Call =>
  ({ caller }, { apiKey }) =>
    caller.chatBytes(apiKey, `${exactTokensBody.slice(0, -1)}${STREAM_FIELD}}`, endpoint);
const STREAM_FIELD = ',"stream":true';
const chat = chatBy(COMPLETIONS);
const message = chatBy(MESSAGES);
const count: Call = ({ caller }, { apiKey }) => caller.chat(apiKey, {}, COUNT_TOKENS);
const failingBody = exactTokensBody.replace(/\[\[sim .*\]\]/, '[[sim {\\"status\\":500}]]');
/** Including the maximum output. */
const FAILING_TOKENS = 37;
const failingBy =
  (endpoint: ChatEndpoint): Call =>
  ({ caller }, { apiKey }) =>
    caller.chatBytes(apiKey, failingBody, endpoint);
const models = ({ caller }: World, { apiKey }: Customer) => caller.api('GET', '/v1/models', bearer(apiKey));

const requests = (taken: number, reset: unknown = WINDOW) => ({
  'limit-requests': `${RPM}`,
  'remaining-requests': `${RPM - taken}`,
  'reset-requests': reset,
});
const tokens = (taken: number, reset = WINDOW) => ({
  'limit-tokens': `${TPM}`,
  'remaining-tokens': `${TPM - taken}`,
  'reset-tokens': reset,
});

export const RATE_HEADER_CASES: readonly RateHeaderCase[] = [
  { when: 'a call of a key without limits', key: {}, calls: [chat], headers: {} },
  { when: 'a call of a key with an RPM limit', key: { rpm_limit: RPM }, calls: [chat], headers: requests(1) },
  {
    when: 'a call of a key with a TPM limit',
    key: { tpm_limit: TPM },
    calls: [chat],
    headers: tokens(EXACT_TOKENS),
  },
  {
    when: 'the third call of a key with both limits',
    key: { rpm_limit: RPM, tpm_limit: TPM },
    calls: [chat, chat, chat],
    headers: { ...requests(3), ...tokens(3 * EXACT_TOKENS) },
  },
  ...[COMPLETIONS, MESSAGES].map((endpoint) => ({
    when: `a stream of ${endpoint.path}`,
    key: { rpm_limit: RPM, tpm_limit: TPM },
    calls: [streamedBy(endpoint)],
    headers: { ...requests(1), ...tokens(EXACT_TOKENS) },
  })),
  {
    when: 'a message of a key with both limits',
    key: { rpm_limit: RPM, tpm_limit: TPM },
    calls: [chat, message],
    headers: { ...requests(2), ...tokens(2 * EXACT_TOKENS) },
  },
  {
    when: 'a token count, which uses no tokens of the limit',
    key: { rpm_limit: RPM, tpm_limit: TPM },
    calls: [count, message],
    headers: { ...requests(2), ...tokens(EXACT_TOKENS) },
  },
  {
    when: 'a model list, which uses no tokens of the limit',
    key: { rpm_limit: RPM, tpm_limit: TPM },
    calls: [models],
    headers: { ...requests(1), ...tokens(0, '0s') },
  },
  ...[COMPLETIONS, MESSAGES].map((endpoint) => ({
    when: `a call of ${endpoint.path} that fails at its provider`,
    key: { rpm_limit: RPM, tpm_limit: TPM },
    calls: [failingBy(endpoint)],
    status: 502,
    headers: { ...requests(1), ...tokens(FAILING_TOKENS) },
  })),
  {
    when: 'a call above the RPM limit',
    key: { rpm_limit: 1, tpm_limit: TPM },
    calls: [models, chat],
    status: 429,
    headers: {
      'limit-requests': '1',
      'remaining-requests': '0',
      'reset-requests': WITHIN_WINDOW,
      ...tokens(0, '0s'),
    },
  },
  {
    when: 'a call above the TPM limit',
    key: { rpm_limit: RPM, tpm_limit: 1 },
    calls: [chat],
    status: 429,
    headers: {
      ...requests(0, '0s'),
      'limit-tokens': '1',
      'remaining-tokens': '1',
      'reset-tokens': '0s',
    },
  },
  {
    when: 'a call above the per-request cap',
    key: { rpm_limit: RPM, request_cost_limit: 0.000001 },
    calls: [models, chat],
    status: 402,
    headers: requests(1, WITHIN_WINDOW),
  },
];

/** Returns the rate-limit headers of a response, without the prefix `x-ratelimit-`. */
export function rateHeadersOf({ headers }: HttpAnswer): Record<string, unknown> {
  const prefix = 'x-ratelimit-';
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      name.startsWith(prefix) ? [[name.slice(prefix.length), value]] : [],
    ),
  );
}
