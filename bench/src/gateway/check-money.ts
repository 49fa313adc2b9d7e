import { setTimeout as sleep } from 'node:timers/promises';
import { requestJson } from '@gateway/local-stack';
import { type GatewayUnderTest, TOP_UP_USD } from './gateway-under-test';
import { readGauges } from './read-gauges';

export interface MeteredModel {
  /** Its name in the catalog. */
  readonly slug: string;
  /** Its name at the provider. */
  readonly upstreamModel: string;
}

export interface MoneyCheck {
  readonly calls: number;
  /** Cost of the calls by the simulator's meter and the catalog's prices. */
  readonly meteredNano: number;
  /** Amount charged to the account. */
  readonly chargedNano: number;
  /** Drift between balance, ledger, holds and spending windows, as the reconciler reports it. */
  readonly driftNano: number;
  readonly openHolds: number;
  readonly deadLetters: number;
  readonly operatorLossNano: number;
}

const NANO_PER_USD = 1e9;
const SETTLED_TIMEOUT_MS = 15_000;
const POLL_INTERVAL_MS = 100;

/**
 * Compares the account's charges with the simulator's meter when all holds are settled.
 * @param models all models that were called
 */
export async function checkMoney(
  { stack, api, account }: GatewayUnderTest,
  models: readonly MeteredModel[],
): Promise<MoneyCheck> {
  const deadlineMs = performance.now() + SETTLED_TIMEOUT_MS;
  const gauges = () => readGauges(stack.adminUrl('billing'));
  let found = await gauges();
  while (found.holds_open !== 0 && performance.now() < deadlineMs) {
    await sleep(POLL_INTERVAL_MS);
    found = await gauges();
  }
  const { balance } = await api.balance(account.token);
  const meter = (await requestJson('GET', `${stack.simulatorUrl}/meter?limit=0`)).body.by_model;
  let calls = 0;
  let meteredNano = 0;
  for (const { slug, upstreamModel } of models) {
    const metered = meter[upstreamModel];
    if (!metered) continue;
    const { pricing } = await api.call('GET', `models/${slug}`, account.token);
    calls += metered.calls;
    meteredNano += metered.prompt_tokens * nanoPerToken(pricing.tokens.input);
    meteredNano += metered.completion_tokens * nanoPerToken(pricing.tokens.output ?? 0);
  }
  return {
    calls,
    meteredNano,
    chargedNano: Math.round(TOP_UP_USD * NANO_PER_USD - balance * NANO_PER_USD),
    driftNano: found.ledger_drift_nano ?? Number.NaN,
    openHolds: found.holds_open ?? Number.NaN,
    deadLetters: found.dead_letters ?? Number.NaN,
    operatorLossNano: found.operator_loss_nano ?? Number.NaN,
  };
}

/** Returns a whole number at these prices, so that nothing is rounded and the sum of all calls is exact. */
function nanoPerToken(usdPerMillion: number | string): number {
  return Math.round((Number(usdPerMillion) * NANO_PER_USD) / 1e6);
}

/** Returns whether charges equal the meter and drift, open holds, dead letters and losses are zero. */
export function isMoneyConsistent(check: MoneyCheck): boolean {
  const { meteredNano, chargedNano, driftNano, openHolds, deadLetters, operatorLossNano } = check;
  return [meteredNano - chargedNano, driftNano, openHolds, deadLetters, operatorLossNano].every(
    (n) => n === 0,
  );
}
