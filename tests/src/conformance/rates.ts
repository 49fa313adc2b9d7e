import type { HttpAnswer } from '../support/http';
import type { Customer } from '../support/system';
import { bearer, CHAT } from './caller';
import type { ConformanceCase, World } from './case';

type Call = (world: World, customer: Customer) => Promise<HttpAnswer>;

const ENDPOINTS: readonly [string, Call][] = [
  [`POST ${CHAT}`, ({ caller }, { apiKey }) => caller.chat(apiKey, { max_tokens: 20 })],
  [
    `POST ${CHAT}, streamed`,
    ({ caller }, { apiKey }) => caller.chat(apiKey, { max_tokens: 20, stream: true }),
  ],
  ['GET /v1/models', ({ caller }, { apiKey }) => caller.api('GET', '/v1/models', bearer(apiKey))],
  [
    'GET /v1/models/{slug}',
    ({ caller }, { apiKey }) => caller.api('GET', '/v1/models/sim/chat', bearer(apiKey)),
  ],
];

/** 290 tokens of a limit of 300: not even the least call fits into the rest. */
const SPENDING = { role: 'user', content: '[[sim {"usage":{"prompt_tokens":100,"completion_tokens":190}}]]' };

async function mustPass(answer: HttpAnswer): Promise<void> {
  if (answer.status !== 200) throw new Error(`the first call: ${answer.text}`);
}

/** Of 60 seconds, and the one that has begun. */
function assertRetryAfterIsInTheWindow(answer: HttpAnswer): HttpAnswer {
  const seconds = Number(answer.headers['retry-after']);
  if (!(seconds >= 1 && seconds <= 61)) throw new Error(`Retry-After is ${seconds}`);
  return answer;
}

export const RATE_CASES: readonly ConformanceCase[] = [
  ...ENDPOINTS.map(
    ([name, call]): ConformanceCase => ({
      code: 'rpm_rate_limited',
      when: `more than one request a minute, ${name}`,
      async provoke(world) {
        const customer = await world.system.provision({ key: { rpm_limit: 1 } });
        await mustPass(await call(world, customer));
        return assertRetryAfterIsInTheWindow(await call(world, customer));
      },
    }),
  ),
  {
    code: 'rpm_rate_limited',
    when: 'a model list counts as the one request',
    async provoke(world) {
      const customer = await world.system.provision({ key: { rpm_limit: 1 }, balanceUsd: 0 });
      await mustPass(await world.caller.api('GET', '/v1/models', bearer(customer.apiKey)));
      return assertRetryAfterIsInTheWindow(
        await world.caller.api('GET', '/v1/models', bearer(customer.apiKey)),
      );
    },
  },
  {
    code: 'rpm_rate_limited',
    when: 'a key that may not call at all',
    retryAfter: 'never',
    shouldRetry: 'false',
    async provoke({ system, caller }) {
      const { apiKey } = await system.provision({ key: { rpm_limit: 0 } });
      return caller.chat(apiKey);
    },
  },
  ...[false, true].map(
    (stream): ConformanceCase => ({
      code: 'tpm_rate_limited',
      when: `the tokens of a minute are used${stream ? ' by a stream' : ''}`,
      async provoke({ system, caller }) {
        const customer = await system.provision({ key: { tpm_limit: 300 } });
        await mustPass(await caller.chat(customer.apiKey, { messages: [SPENDING], max_tokens: 190, stream }));
        await system.settled(customer);
        return assertRetryAfterIsInTheWindow(await caller.chat(customer.apiKey));
      },
    }),
  ),
  {
    code: 'tpm_rate_limited',
    when: 'a call that no minute has tokens for, so that no wait helps',
    retryAfter: 'never',
    shouldRetry: 'false',
    async provoke({ system, caller }) {
      const { apiKey } = await system.provision({ key: { tpm_limit: 1 } });
      return caller.chat(apiKey);
    },
  },
];
