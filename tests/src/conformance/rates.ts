import { expect } from '@jest/globals';
import type { HttpAnswer } from '../support/http';
import type { Customer } from '../support/system';
import { bearer, CHAT_FORMATS, COUNT_TOKENS } from './caller';
import type { ConformanceCase, World } from './case';
import { FREE_CALLS } from './money';
import { rateHeadersOf, WITHIN_WINDOW } from './rate-headers';

type Call = (world: World, customer: Customer) => Promise<HttpAnswer>;

const ENDPOINTS: readonly [string, Call][] = [
  ...CHAT_FORMATS.flatMap((format): [string, Call][] =>
    [false, true].map((stream) => [
      `POST ${format.path}${stream ? ', streamed' : ''}`,
      ({ caller }, { apiKey }) => caller.chat(apiKey, { max_tokens: 20, stream }, format),
    ]),
  ),
  [`POST ${COUNT_TOKENS.path}`, ({ caller }, { apiKey }) => caller.chat(apiKey, {}, COUNT_TOKENS)],
  ['GET /v1/key', ({ caller }, { apiKey }) => caller.api('GET', '/v1/key', bearer(apiKey))],
  ['GET /v1/models', ({ caller }, { apiKey }) => caller.api('GET', '/v1/models', bearer(apiKey))],
  [
    'GET /v1/models/{slug}',
    ({ caller }, { apiKey }) => caller.api('GET', '/v1/models/sim/chat', bearer(apiKey)),
  ],
];

/** 295 tokens of a limit of 300: not even the shortest prompt fits into the rest. */
const SPENDING = { role: 'user', content: '[[sim {"usage":{"prompt_tokens":105,"completion_tokens":190}}]]' };

async function mustPass(answer: HttpAnswer): Promise<void> {
  if (answer.status !== 200) throw new Error(`the first call: ${answer.text}`);
}

/** Checks the headers of a refusal because the rest of one limit is too small. */
function assertIsInTheWindow(
  answer: HttpAnswer,
  kind: 'requests' | 'tokens',
  [limit, remaining]: readonly [string, string],
): HttpAnswer {
  const seconds = Number(answer.headers['retry-after']);
  if (!(seconds >= 1 && seconds <= 60)) throw new Error(`Retry-After is ${seconds}`);
  expect(rateHeadersOf(answer)).toEqual({
    [`limit-${kind}`]: limit,
    [`remaining-${kind}`]: remaining,
    [`reset-${kind}`]: WITHIN_WINDOW,
  });
  return answer;
}

export const RATE_CASES: readonly ConformanceCase[] = [
  ...ENDPOINTS.map(
    ([name, call]): ConformanceCase => ({
      code: 'rpm_rate_limited',
      when: `the second request of a limit of one per minute, ${name}`,
      async provoke(world) {
        const customer = await world.system.provision({ key: { rpm_limit: 1 } });
        await mustPass(await call(world, customer));
        return assertIsInTheWindow(await call(world, customer), 'requests', ['1', '0']);
      },
    }),
  ),
  ...FREE_CALLS.map(
    ([name, call]): ConformanceCase => ({
      code: 'rpm_rate_limited',
      when: `${name} counts as the one request of the limit, even without money`,
      async provoke(world) {
        const { apiKey } = await world.system.provision({ key: { rpm_limit: 1 }, balanceUsd: 0 });
        await mustPass(await call(world, apiKey));
        return assertIsInTheWindow(await call(world, apiKey), 'requests', ['1', '0']);
      },
    }),
  ),
  ...ENDPOINTS.map(
    ([name, call]): ConformanceCase => ({
      code: 'rpm_rate_limited',
      when: `a key with an RPM limit of zero, ${name}`,
      retryAfter: 'never',
      shouldRetry: 'false',
      provoke: async (world) => call(world, await world.system.provision({ key: { rpm_limit: 0 } })),
    }),
  ),
  ...CHAT_FORMATS.flatMap((format): ConformanceCase[] => [
    ...[false, true].map(
      (stream): ConformanceCase => ({
        code: 'tpm_rate_limited',
        when: `the TPM limit is used up${stream ? ' by a stream' : ''}, POST ${format.path}`,
        async provoke({ system, caller }) {
          const customer = await system.provision({ key: { tpm_limit: 300 } });
          const spending = { messages: [SPENDING], max_tokens: 190, stream };
          await mustPass(await caller.chat(customer.apiKey, spending, format));
          await system.settled(customer);
          const answer = await caller.chat(customer.apiKey, {}, format);
          return assertIsInTheWindow(answer, 'tokens', ['300', '5']);
        },
      }),
    ),
    {
      code: 'tpm_rate_limited',
      when: `a call that never fits the TPM limit, so that no wait helps, POST ${format.path}`,
      retryAfter: 'never',
      shouldRetry: 'false',
      async provoke({ system, caller }) {
        const { apiKey } = await system.provision({ key: { tpm_limit: 1 } });
        return caller.chat(apiKey, {}, format);
      },
    },
  ]),
];
