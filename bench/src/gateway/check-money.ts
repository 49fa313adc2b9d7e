import { setTimeout as sleep } from 'node:timers/promises';
import { requestJson } from '@gateway/local';
import { type GatewayUnderTest, TOP_UP_USD } from './gateway-under-test';
import { readGauges } from './read-gauges';

export interface MoneyCheck {
  readonly calls: number;
  /** What the calls cost by the simulator's own meter and the catalog's prices. */
  readonly meteredNano: number;
  /** What the account was charged. */
  readonly chargedNano: number;
  /** Between balance, ledger, holds and windows, by the reconciler. */
  readonly driftNano: number;
  readonly openHolds: number;
  readonly deadLetters: number;
  readonly operatorLossNano: number;
}

const NANO_PER_USD = 1e9;
const SETTLED_TIMEOUT_MS = 15_000;
const POLL_INTERVAL_MS = 100;

/** The account's figures once everything is settled. `upstreamModel` is the gateway's name for it, not the proxy's. */
export async function checkMoney(
  { stack, api, account }: GatewayUnderTest,
  model: string,
  upstreamModel: string,
): Promise<MoneyCheck> {
  const deadlineMs = performance.now() + SETTLED_TIMEOUT_MS;
  const gauges = () => readGauges(stack.adminUrl('billing'));
  let found = await gauges();
  while (found.holds_open !== 0 && performance.now() < deadlineMs) {
    await sleep(POLL_INTERVAL_MS);
    found = await gauges();
  }
  const { balance } = await api.balance(account.token);
  const { pricing } = await api.call('GET', `models/${model}`, account.token);
  const meter = (await requestJson('GET', `${stack.simulatorUrl}/meter?limit=0`)).body.by_model[
    upstreamModel
  ];
  const { input, output } = pricing.tokens;
  // Whole nano-USD a token at these prices, so nothing was rounded and the sum of all calls is exact.
  const perToken = (usdPerMillion: number | string) => (Number(usdPerMillion) * NANO_PER_USD) / 1e6;
  return {
    calls: meter?.calls ?? 0,
    meteredNano: meter
      ? meter.prompt_tokens * perToken(input) + meter.completion_tokens * perToken(output)
      : 0,
    chargedNano: Math.round(TOP_UP_USD * NANO_PER_USD - balance * NANO_PER_USD),
    driftNano: found.ledger_drift_nano ?? Number.NaN,
    openHolds: found.holds_open ?? Number.NaN,
    deadLetters: found.dead_letters ?? Number.NaN,
    operatorLossNano: found.operator_loss_nano ?? Number.NaN,
  };
}

export function moneyIsRight(check: MoneyCheck): boolean {
  const { meteredNano, chargedNano, driftNano, openHolds, deadLetters, operatorLossNano } = check;
  return [meteredNano - chargedNano, driftNano, openHolds, deadLetters, operatorLossNano].every(
    (n) => n === 0,
  );
}
