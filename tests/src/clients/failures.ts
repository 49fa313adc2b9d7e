import { ERROR_TABLE, type ErrorCode } from '@gateway/errors';
import { until } from '@gateway/testing';
import { describe, expect, test } from '@jest/globals';

import type { System } from '../support/system';
import type { Client, Failure, Question } from './client';
import { both, type ClientFixture, directivePrompt } from './client-fixture';
import { FAMILIES } from './family';

/** A normal run has one family, because clients wait before a retry. Conformance tests cover each provider format. */
const FAILING = process.env.TEST_HEAVY ? FAMILIES : FAMILIES.slice(0, 1);

/** One retry keeps the tests short. */
const MAX_RETRIES = 1;
const MODEL = 'openai/gpt-4.1';

/**
 * Tests every class of failure that a chat client can meet, as its user catches it.
 * @param repeating whether the client may retry, which takes time
 */
export function testFailures(client: Client, fixture: () => ClientFixture, repeating: boolean): void {
  describe('a refusal', () => testRefusals(client, fixture, repeating ? MAX_RETRIES : 0));
  if (repeating) describe('a retried call', () => testRetries(client, fixture));
  describe.each(FAILING)('failures of $model', ({ model }) => testProviderFailures(client, model, fixture));
}

interface Refusal {
  readonly code: ErrorCode;
  readonly question?: Partial<Question>;
  readonly key?: object;
  readonly balanceUsd?: number;
  readonly accountLimits?: object;
}

const REFUSALS: readonly Refusal[] = [
  { code: 'invalid_request', question: { temperature: 3 } },
  { code: 'missing_parameter', question: { prompt: '' } },
  { code: 'invalid_model', question: { model: 'gpt-4.1' } },
  { code: 'model_not_found', question: { model: 'openai/gpt-0' } },
  { code: 'expired_api_key', key: { expires_at: '2020-01-01T00:00:00Z' } },
  { code: 'insufficient_balance', balanceUsd: 0 },
  { code: 'key_daily_limit', key: { daily_limit: 0 } },
  { code: 'key_monthly_limit', key: { monthly_limit: 0 } },
  { code: 'account_daily_limit', accountLimits: { daily_limit: 0 } },
  { code: 'request_cost_limit', key: { request_cost_limit: 0 } },
  { code: 'rpm_rate_limited', key: { rpm_limit: 0 } },
  { code: 'tpm_rate_limited', key: { tpm_limit: 0 } },
];

function testRefusals(client: Client, fixture: () => ClientFixture, maxRetries: number): void {
  const ask = (apiKey: string, question: Partial<Question> = {}) => {
    const { system } = fixture();
    const connection = client.connect({ apiUrl: system.stack.apiUrl, apiKey, maxRetries });
    return attempt(client, system, () =>
      connection.ask({ model: MODEL, prompt: 'Hi.', stream: false, ...question }),
    );
  };

  test("invalid_api_key is thrown as the client's error class", async () => {
    const { failure, requests } = await ask(`sk-gw-${'x'.repeat(40)}`);
    expectFailure(client, failure, 'invalid_api_key');
    expect(requests).toBe(1);
  });

  const refusals = REFUSALS.filter(({ question }) => !(client.clampsTemperature && question?.temperature));
  test.each(refusals)(
    "$code is thrown as the client's error class",
    async ({ code, question, key, balanceUsd, accountLimits }) => {
      const { system } = fixture();
      const customer = await system.provision({ balanceUsd: balanceUsd ?? 1, key: key ?? {} });
      if (accountLimits) await system.dashboard.call('POST', 'billing/limits', customer.token, accountLimits);
      const { failure, requests } = await ask(customer.apiKey, question);
      expectFailure(client, failure, code);
      expect(requests).toBe(requestsFor(client, code, false, maxRetries));
    },
  );
}

interface ProviderFailure {
  readonly what: string;
  readonly directive: object;
  readonly code: ErrorCode;
  readonly mayRetry: boolean;
}

const PROVIDER_FAILURES: readonly ProviderFailure[] = [
  { what: 'the provider fails', directive: { status: 500 }, code: 'upstream_failed', mayRetry: true },
  {
    what: 'the provider resets the connection',
    directive: { reset: true },
    code: 'upstream_failed',
    mayRetry: true,
  },
  {
    what: 'the provider rejects our key',
    directive: { status: 401 },
    code: 'upstream_unavailable',
    mayRetry: false,
  },
  {
    what: 'the provider limits the rate',
    directive: { status: 429, retry_after: 1 },
    code: 'rate_limited',
    mayRetry: true,
  },
  {
    what: 'the provider rejects the request',
    directive: { status: 400 },
    code: 'invalid_request',
    mayRetry: false,
  },
];

function testProviderFailures(client: Client, model: string, fixture: () => ClientFixture): void {
  const cells = PROVIDER_FAILURES.flatMap((failure) => both.map((way) => ({ ...failure, ...way })));

  test.each(cells)('are thrown when $what, $how', async ({ directive, code, stream }) => {
    const { charges, connection, system } = fixture();
    const { result } = await charges.check(model, () =>
      attempt(client, system, () => connection.ask({ model, prompt: directivePrompt(directive), stream })),
    );
    expectFailure(client, result.failure, code);
  });

  if (client.ignoresBrokenStreams) return;
  test.each([
    { what: 'is cut', directive: { drop_after_chunks: 20 } },
    { what: 'ends in an error', directive: { drop_after_chunks: 20, stream_error: true } },
  ])('are thrown when a stream $what', async ({ directive }) => {
    const { charges, connection, system } = fixture();
    const prompt = directivePrompt({ chunks: 50, chunk_delay_ms: 2, ...directive });
    const { result, metered } = await charges.check(model, () =>
      attempt(client, system, () => connection.ask({ model, prompt, stream: true })),
    );
    expect(result).toEqual({
      failure: { name: client.failures[200], status: client.brokenStatus, code: 'upstream_failed' },
      requests: 1,
    });
    expect(metered).toHaveLength(1);
    expect(metered[0]?.completion_tokens).toBeGreaterThanOrEqual(20);
  });
}

/** One model is enough: retries do not depend on the provider. */
function testRetries(client: Client, fixture: () => ClientFixture): void {
  test.each(PROVIDER_FAILURES)(
    "is repeated as often as the client's rules say after $code, when $what",
    async ({ directive, code, mayRetry }) => {
      const { system, customer, charges } = fixture();
      const access = { apiUrl: system.stack.apiUrl, apiKey: customer.apiKey, maxRetries: MAX_RETRIES };
      const question = { model: MODEL, prompt: directivePrompt(directive), stream: false };
      const { result } = await charges.check(MODEL, () =>
        attempt(client, system, () => client.connect(access).ask(question)),
      );
      expectFailure(client, result.failure, code);
      expect(result.requests).toBe(requestsFor(client, code, mayRetry, MAX_RETRIES));
    },
  );
}

function requestsFor(client: Client, code: ErrorCode, mayRetry: boolean, maxRetries: number): number {
  const { status } = ERROR_TABLE[code];
  return client.retries({ status, mayRetry, hasRetryAfter: code === 'rate_limited' }) ? 1 + maxRetries : 1;
}

interface Attempt {
  readonly failure: Failure;
  /** Number of requests that reached the gateway. */
  readonly requests: number;
}

async function attempt(client: Client, system: System, run: () => Promise<unknown>): Promise<Attempt> {
  const before = await system.metric('edge', 'edge_requests_total');
  const failure = await run().then(
    (answer) => Promise.reject(new Error(`answered: ${JSON.stringify(answer)}`)),
    (thrown: unknown) => client.readFailure(thrown),
  );
  await until(async () => (await system.metric('edge', 'edge_requests_in_flight')) === 0);
  return { failure, requests: (await system.metric('edge', 'edge_requests_total')) - before };
}

function expectFailure(client: Client, failure: Failure, code: ErrorCode): void {
  const { status } = ERROR_TABLE[code];
  const { failures } = client;
  expect(failure).toEqual({ name: failures[status as keyof typeof failures], status, code });
}
