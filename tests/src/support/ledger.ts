import type { Account } from '@gateway/local-stack';
import { readMeter } from './meter';
import type { System } from './system';

/** Prices of `sim/chat` in nano-USD per token, as its catalog entry states them per million. */
const INPUT_NANO = 1_000n;
const OUTPUT_NANO = 4_000n;
const CACHE_READ_NANO = 100n;

interface LedgerEntry {
  readonly kind: string;
  readonly amount: number;
  readonly reference: string;
}

export interface LedgerSummary {
  readonly balanceNano: bigint;
  /** Charges by request id. */
  readonly charges: ReadonlyMap<string, bigint>;
}

/** Returns the cost of a call by the simulator's meter; 0 if it was not served. */
export async function meteredNano(system: System, requestId: string): Promise<bigint> {
  const { entries } = await readMeter(system.stack.simulatorUrl, { requestId });
  return entries.reduce((sum, entry) => sum + costNano(entry), 0n);
}

/** Returns the cost of all calls that the simulator has served, in nano-USD. */
export async function totalMeteredNano(system: System): Promise<bigint> {
  return costNano(await readMeter(system.stack.simulatorUrl));
}

interface Figures {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly cached_tokens?: number;
}

/** Returns the cost of metered usage. */
export function costNano({ prompt_tokens, completion_tokens, cached_tokens = 0 }: Figures): bigint {
  return (
    BigInt(prompt_tokens - cached_tokens) * INPUT_NANO +
    BigInt(cached_tokens) * CACHE_READ_NANO +
    BigInt(completion_tokens) * OUTPUT_NANO
  );
}

/** Returns the account's balance and charges. @throws if the sum of the ledger is not the balance */
export async function readLedger(system: System, account: Account): Promise<LedgerSummary> {
  const charges = new Map<string, bigint>();
  let sumNano = 0n;
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: { data: LedgerEntry[]; next_cursor: string | null } = await system.dashboard.call(
      'GET',
      `billing/ledger?limit=100${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
      account.token,
    );
    for (const { kind, amount, reference } of page.data) {
      const amountNano = nano(amount);
      sumNano += amountNano;
      if (kind !== 'charge') continue;
      if (charges.has(reference)) throw new Error(`${reference} is charged twice`);
      charges.set(reference, -amountNano);
    }
    cursor = page.next_cursor;
  }
  const balanceNano = nano((await system.dashboard.balance(account.token)).balance);
  if (balanceNano !== sumNano) throw new Error(`balance ${balanceNano} is not the ledger's ${sumNano}`);
  return { balanceNano, charges };
}

/** Converts USD of the API to nano-USD; exact for the amounts in tests. */
export function nano(usd: number): bigint {
  return BigInt(Math.round(usd * 1e9));
}
