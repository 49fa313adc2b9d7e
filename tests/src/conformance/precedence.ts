import type { ErrorCode } from '@gateway/errors';
import type { HttpAnswer } from '../support/http';
import type { Customer } from '../support/system';
import { bearer, type ChatEndpoint } from './caller';
import type { World } from './case';
import { setAccountLimit } from './money';

/** A call with all its faults. */
interface Plan {
  path: string;
  balanceUsd: number;
  accountLimitUsd?: number;
  readonly key: Record<string, unknown>;
  readonly fields: Record<string, unknown>;
  /** Makes one request first, which uses up the rate limit. */
  warmUp?: true;
  presented?: string;
}

/** One fault of a call. */
export interface Fault {
  readonly code: ErrorCode;
  readonly when?: string;
  apply(plan: Plan): void;
}

const TINY_USD = 0.000_001;

/** Faults outside the body, which are checked first. */
const DOOR_FAULTS: readonly Fault[] = [
  {
    code: 'not_found',
    apply: (plan) => {
      plan.path += 's';
    },
  },
  {
    code: 'invalid_api_key',
    apply: (plan) => {
      plan.presented = `sk-gw-${'a'.repeat(38)}`;
    },
  },
];

/** Faults of funds and rate limits. */
const FUNDS_FAULTS: readonly Fault[] = [
  { code: 'request_cost_limit', apply: ({ key }) => Object.assign(key, { request_cost_limit: TINY_USD }) },
  {
    code: 'insufficient_balance',
    apply: (plan) => {
      plan.balanceUsd = 0;
    },
  },
  { code: 'key_monthly_limit', apply: ({ key }) => Object.assign(key, { monthly_limit: TINY_USD }) },
  {
    code: 'account_daily_limit',
    apply: (plan) => {
      plan.accountLimitUsd = TINY_USD;
    },
  },
  { code: 'key_daily_limit', apply: ({ key }) => Object.assign(key, { daily_limit: TINY_USD }) },
  {
    code: 'rpm_rate_limited',
    apply: (plan) => {
      plan.key.rpm_limit = 1;
      plan.warmUp = true;
    },
  },
  { code: 'tpm_rate_limited', apply: ({ key }) => Object.assign(key, { tpm_limit: 1 }) },
];

/** In the order of precedence. */
export const FAULTS: readonly Fault[] = [
  ...DOOR_FAULTS,
  { code: 'invalid_request', apply: ({ fields }) => Object.assign(fields, { temperature: 3 }) },
  { code: 'missing_parameter', apply: ({ fields }) => Object.assign(fields, { messages: [] }) },
  { code: 'invalid_model', apply: ({ fields }) => Object.assign(fields, { model: 'auto' }) },
  { code: 'model_not_found', apply: ({ key }) => Object.assign(key, { allowed_models: ['openai/gpt-5.5'] }) },
  ...FUNDS_FAULTS,
  {
    code: 'upstream_failed',
    apply: ({ fields }) =>
      Object.assign(fields, { messages: [{ role: 'user', content: '[[sim {"status":500}]]' }] }),
  },
];

/** Faults of text completions. */
export const TEXT_COMPLETION_FAULTS: readonly Fault[] = FAULTS.map((fault) => {
  if (fault.code === 'missing_parameter')
    return { ...fault, apply: ({ fields }) => Object.assign(fields, { prompt: [] }) };
  if (fault.code !== 'upstream_failed') return fault;
  return { ...fault, apply: ({ fields }) => Object.assign(fields, { prompt: '[[sim {"status":500}]]' }) };
});

/** Faults of calls with inputs: `wrong` are fields of wrong values, `empty` is the field that is missing, `failing` names the prompt. */
const inputFaults = (wrong: object, empty: string, failing: object): readonly Fault[] => [
  ...DOOR_FAULTS,
  { code: 'invalid_request', apply: ({ fields }) => Object.assign(fields, wrong) },
  { code: 'missing_parameter', apply: ({ fields }) => Object.assign(fields, { [empty]: [] }) },
  { code: 'invalid_model', apply: ({ fields }) => Object.assign(fields, { model: 'auto' }) },
  { code: 'model_not_found', apply: ({ key }) => Object.assign(key, { allowed_models: ['sim/chat'] }) },
  ...FUNDS_FAULTS,
  { code: 'upstream_failed', apply: ({ fields }) => Object.assign(fields, failing) },
];
const FAILING = '[[sim {"status":500}]]';
export const EMBEDDING_FAULTS = inputFaults({ dimensions: 0 }, 'input', { input: FAILING });
export const MODERATION_FAULTS = inputFaults({ threshold: 1 }, 'input', { input: FAILING });
export const RERANK_FAULTS = inputFaults({ top_n: 0 }, 'documents', { documents: [FAILING] });

/** Faults of calls for speech. */
export const SPEECH_FAULTS: readonly Fault[] = [
  ...DOOR_FAULTS,
  { code: 'invalid_request', apply: ({ fields }) => Object.assign(fields, { speed: 9 }) },
  { code: 'missing_parameter', apply: ({ fields }) => Object.assign(fields, { voice: '' }) },
  { code: 'invalid_model', apply: ({ fields }) => Object.assign(fields, { model: 'auto' }) },
  { code: 'model_not_found', apply: ({ key }) => Object.assign(key, { allowed_models: ['sim/chat'] }) },
  ...FUNDS_FAULTS,
  {
    code: 'upstream_failed',
    apply: ({ fields }) => Object.assign(fields, { input: '[[sim {"status":500}]]' }),
  },
];

/** Faults of image calls: an unsupported size is checked before funds. */
export const IMAGE_FAULTS: readonly Fault[] = [
  ...DOOR_FAULTS,
  { code: 'invalid_request', apply: ({ fields }) => Object.assign(fields, { n: 0 }) },
  { code: 'missing_parameter', apply: ({ fields }) => Object.assign(fields, { prompt: '' }) },
  { code: 'invalid_model', apply: ({ fields }) => Object.assign(fields, { model: 'auto' }) },
  { code: 'model_not_found', apply: ({ key }) => Object.assign(key, { allowed_models: ['sim/image'] }) },
  { code: 'image_generation_failed', apply: ({ fields }) => Object.assign(fields, { size: '1000x1000' }) },
  ...FUNDS_FAULTS,
  {
    code: 'rate_limited',
    apply: ({ fields }) => Object.assign(fields, { prompt: '[[sim {"status":429}]]' }),
  },
];

/** Faults of video calls, which use no tokens. */
export const VIDEO_FAULTS: readonly Fault[] = [
  ...DOOR_FAULTS,
  { code: 'invalid_request', apply: ({ fields }) => Object.assign(fields, { aspect_ratio: 'wide' }) },
  { code: 'missing_parameter', apply: ({ fields }) => Object.assign(fields, { prompt: '' }) },
  { code: 'invalid_model', apply: ({ fields }) => Object.assign(fields, { model: 'auto' }) },
  {
    code: 'video_model_not_found',
    apply: (plan) => {
      plan.path = plan.path.replace('/sim/', '/kling/');
    },
  },
  { code: 'model_not_found', apply: ({ key }) => Object.assign(key, { allowed_models: ['sim/image'] }) },
  { code: 'video_tier_not_found', apply: ({ fields }) => Object.assign(fields, { tier: 'Std' }) },
  { code: 'video_generation_failed', apply: ({ fields }) => Object.assign(fields, { duration: 7 }) },
  ...FUNDS_FAULTS.filter(({ code }) => code !== 'tpm_rate_limited'),
  {
    code: 'rate_limited',
    apply: ({ fields }) => Object.assign(fields, { prompt: '[[sim {"status":429}]]' }),
  },
];

/** Makes a call with both faults. The fault with precedence is applied last, because it overwrites the other's fields. */
export async function callWith(
  world: World,
  { path, body }: ChatEndpoint,
  [wins, loses]: readonly [Fault, Fault],
): Promise<HttpAnswer> {
  const plan: Plan = { path, balanceUsd: 10, key: {}, fields: {} };
  loses.apply(plan);
  wins.apply(plan);
  const account = await accountOf(world, plan);
  const { key } = await world.system.dashboard.createKey(
    account.token,
    `${wins.code} and ${loses.code}`,
    plan.key,
  );
  if (plan.warmUp) await world.caller.api('GET', '/v1/models', bearer(key));
  return world.caller.api('POST', plan.path, bearer(plan.presented ?? key), body(plan.fields));
}

interface PairAccount {
  readonly balanceUsd: number;
  readonly customer: Promise<Customer>;
}

/** Customers by balance and limits; each call has its own key. */
const accounts = new Map<string, PairAccount>();

function accountOf(world: World, { balanceUsd, accountLimitUsd }: Plan): Promise<Customer> {
  const name = `${balanceUsd} ${accountLimitUsd}`;
  const known = accounts.get(name);
  if (known) return known.customer;
  const customer = provision(world, balanceUsd, accountLimitUsd);
  accounts.set(name, { balanceUsd, customer });
  return customer;
}

/** Returns the balance of each of these accounts before the calls and now. */
export function balancesUsd({ system }: World): Promise<{ had: number; has: number }[]> {
  const balances = [...accounts.values()].map(async ({ balanceUsd, customer }) => {
    const { balance } = await system.settled(await customer);
    return { had: balanceUsd, has: balance };
  });
  return Promise.all(balances);
}

async function provision(world: World, balanceUsd: number, limitUsd: number | undefined): Promise<Customer> {
  const customer = await world.system.provision({ balanceUsd });
  if (limitUsd !== undefined) await setAccountLimit(world, customer, limitUsd);
  return customer;
}
