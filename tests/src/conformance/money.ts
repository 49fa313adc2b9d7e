import { randomUUID } from 'node:crypto';
import type { ErrorCode } from '@gateway/errors';
import type { HttpAnswer } from '../support/http';
import { nano, readLedger } from '../support/ledger';
import type { Customer } from '../support/system';
import { bearer, CHAT_FORMATS, type ChatEndpoint, COMPLETIONS, COUNT_TOKENS } from './caller';
import type { ConformanceCase, World } from './case';

/** Less than the cheapest call of `sim/chat` costs. */
export const NEXT_TO_NOTHING_USD = 0.000_001;
/** Cost of `spendSome`, at 1,000 and 4,000 nano-USD per token. */
const SPENT_USD = 0.000_41;
const LIMIT_USD = 0.000_5;
const spending = [
  { role: 'user', content: '[[sim {"usage":{"prompt_tokens":10,"completion_tokens":100}}]]' },
];

export const nextUtcDay = (at: Date) =>
  new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate() + 1));
export const nextUtcMonth = (at: Date) => new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 1));

async function spendSome(
  { system, caller }: World,
  customer: Customer,
  endpoint = COMPLETIONS,
): Promise<void> {
  const answer = await caller.chat(customer.apiKey, { messages: spending }, endpoint);
  if (answer.status !== 200) throw new Error(`spending: ${answer.text}`);
  await system.settled(customer);
  const { balanceNano } = await readLedger(system, customer);
  if (balanceNano !== nano(10) - nano(SPENT_USD)) throw new Error(`spent another amount: ${balanceNano}`);
}

export function setAccountLimit(
  { system }: Pick<World, 'system'>,
  customer: Customer,
  dailyLimitUsd: number,
) {
  return system.dashboard.call('POST', 'billing/limits', customer.token, { daily_limit: dailyLimitUsd });
}

interface Cap {
  readonly code: ErrorCode;
  readonly resetsAt: (at: Date) => Date;
  /** Provisions an account with a key under this cap. */
  provision(world: World, limitUsd: number): Promise<Customer>;
}

const CAPS: readonly Cap[] = [
  {
    code: 'key_daily_limit',
    resetsAt: nextUtcDay,
    provision: ({ system }, daily_limit) => system.provision({ key: { daily_limit } }),
  },
  {
    code: 'key_monthly_limit',
    resetsAt: nextUtcMonth,
    provision: ({ system }, monthly_limit) => system.provision({ key: { monthly_limit } }),
  },
  {
    code: 'account_daily_limit',
    resetsAt: nextUtcDay,
    async provision(world, limitUsd) {
      const customer = await world.system.provision();
      await setAccountLimit(world, customer, limitUsd);
      return customer;
    },
  },
];

/** Checks `resets_at` against the date of the response, because the window's end is not known before the case runs. */
export function expectResetsAt(answer: HttpAnswer, resetsAt: (at: Date) => Date): void {
  const expected = resetsAt(new Date(`${answer.headers.date}`)).toISOString();
  const actual = answer.json?.error?.resets_at;
  if (actual !== expected) throw new Error(`resets_at is ${actual}, not ${expected}`);
}

const moneyCases = (endpoint: ChatEndpoint): readonly ConformanceCase[] => [
  ...CAPS.flatMap(({ code, resetsAt, provision }): ConformanceCase[] => [
    {
      code,
      when: `the cap is spent, POST ${endpoint.path}`,
      cap: { limit: LIMIT_USD, used: SPENT_USD },
      async provoke(world) {
        const customer = await provision(world, LIMIT_USD);
        await spendSome(world, customer, endpoint);
        const answer = await world.caller.chat(customer.apiKey, {}, endpoint);
        expectResetsAt(answer, resetsAt);
        return answer;
      },
    },
    {
      code,
      when: `a cap too small for any call, POST ${endpoint.path}`,
      cap: { limit: NEXT_TO_NOTHING_USD, used: 0 },
      shouldRetry: 'false',
      detail: /needs 0\.\d+ USD, which exceeds .* of 0\.000001 USD/,
      async provoke(world) {
        const customer = await provision(world, NEXT_TO_NOTHING_USD);
        const answer = await world.caller.chat(customer.apiKey, {}, endpoint);
        expectResetsAt(answer, resetsAt);
        return answer;
      },
    },
    {
      code,
      when: `a cap too small for a streamed call, POST ${endpoint.path}`,
      cap: { limit: NEXT_TO_NOTHING_USD, used: 0 },
      async provoke(world) {
        const customer = await provision(world, NEXT_TO_NOTHING_USD);
        return world.caller.chat(customer.apiKey, { stream: true }, endpoint);
      },
    },
  ]),
  {
    code: 'account_daily_limit',
    when: `two keys have spent the cap together, POST ${endpoint.path}`,
    cap: { limit: LIMIT_USD, used: SPENT_USD },
    async provoke(world) {
      const customer = await world.system.provision();
      await setAccountLimit(world, customer, LIMIT_USD);
      await spendSome(world, customer, endpoint);
      const other = await world.system.dashboard.createKey(customer.token, 'other');
      return world.caller.chat(other.key, {}, endpoint);
    },
  },
  {
    code: 'request_cost_limit',
    when: `an explicit maximum costs more than the cap, POST ${endpoint.path}`,
    cap: { limit: 0.001 },
    async provoke({ system, caller }) {
      const { apiKey } = await system.provision({ key: { request_cost_limit: 0.001 } });
      const answer = await caller.chat(apiKey, { max_tokens: 1_000 }, endpoint);
      const used = answer.json.error.used;
      if (!(used > 0.004 && used < 0.005)) throw new Error(`used is the request's cost, not ${used}`);
      return answer;
    },
  },
  {
    code: 'request_cost_limit',
    when: `the minimum output costs more than the cap, POST ${endpoint.path}`,
    cap: { limit: NEXT_TO_NOTHING_USD },
    async provoke({ system, caller }) {
      const { apiKey } = await system.provision({ key: { request_cost_limit: NEXT_TO_NOTHING_USD } });
      return caller.chat(apiKey, {}, endpoint);
    },
  },
  {
    code: 'insufficient_balance',
    when: `no top-up yet, POST ${endpoint.path}`,
    async provoke({ system, caller }) {
      const { apiKey } = await system.provision({ balanceUsd: 0 });
      return caller.chat(apiKey, {}, endpoint);
    },
  },
  {
    code: 'insufficient_balance',
    when: `a top-up has not cleared, POST ${endpoint.path}`,
    async provoke({ system, caller }) {
      const { id, apiKey } = await system.provision({ balanceUsd: 0 });
      await system.dashboard.call('POST', `admin/accounts/${id}/topups`, await system.operatorToken(), {
        amount: 5,
        status: 'pending',
      });
      return caller.chat(apiKey, {}, endpoint);
    },
  },
  {
    code: 'insufficient_balance',
    when: `a balance below zero after a chargeback, POST ${endpoint.path}`,
    async provoke({ system, caller }) {
      const { id, apiKey } = await system.provision({ balanceUsd: 1 });
      await system.dashboard.call('POST', `admin/accounts/${id}/adjustments`, await system.operatorToken(), {
        amount: -2,
        reason: `chargeback ${randomUUID()}`,
      });
      return caller.chat(apiKey, {}, endpoint);
    },
  },
  {
    code: 'insufficient_balance',
    when: `a concurrent call holds the rest of the balance, POST ${endpoint.path}`,
    async provoke({ system, caller }) {
      const customer = await system.provision({ balanceUsd: 0.000_4 });
      const messages = [{ role: 'user', content: '[[sim {"delay_ms":4000}]]' }];
      const slow = caller.chat(customer.apiKey, { messages }, endpoint);
      while ((await system.dashboard.balance(customer.token)).held === 0) {
        // Waits until the slow call holds the balance.
      }
      const refused = await caller.chat(customer.apiKey, {}, endpoint);
      await slow;
      return refused;
    },
  },
];

export const MONEY_CASES: readonly ConformanceCase[] = CHAT_FORMATS.flatMap(moneyCases);

/** Free calls, which an account without money may make. */
export const FREE_CALLS: readonly [string, (world: World, apiKey: string) => Promise<HttpAnswer>][] = [
  [`POST ${COUNT_TOKENS.path}`, ({ caller }, apiKey) => caller.chat(apiKey, {}, COUNT_TOKENS)],
  ['GET /v1/key', ({ caller }, apiKey) => caller.api('GET', '/v1/key', bearer(apiKey))],
  ['GET /v1/models', ({ caller }, apiKey) => caller.api('GET', '/v1/models', bearer(apiKey))],
  ['GET /v1/models/{slug}', ({ caller }, apiKey) => caller.api('GET', '/v1/models/sim/chat', bearer(apiKey))],
];
