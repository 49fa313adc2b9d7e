import { setTimeout as sleep } from 'node:timers/promises';
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

export interface Books {
  readonly balanceNano: bigint;
  /** What each call was charged, by request id. */
  readonly charges: ReadonlyMap<string, bigint>;
}

/** What the simulator says that a call cost; 0 when it never served it. */
export async function meteredNano(system: System, requestId: string): Promise<bigint> {
  const { entries } = await readMeter(system.stack.simulatorUrl, { requestId });
  return entries.reduce((sum, entry) => sum + costNano(entry), 0n);
}

/** Everything the simulator has served, in nano-USD. */
export async function totalMeteredNano(system: System): Promise<bigint> {
  return costNano(await readMeter(system.stack.simulatorUrl));
}

interface Figures {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly cached_tokens?: number;
}

/** What figures of the simulator's come to. */
export function costNano({ prompt_tokens, completion_tokens, cached_tokens = 0 }: Figures): bigint {
  return (
    BigInt(prompt_tokens - cached_tokens) * INPUT_NANO +
    BigInt(cached_tokens) * CACHE_READ_NANO +
    BigInt(completion_tokens) * OUTPUT_NANO
  );
}

/** The account's balance and charges. Throws when the ledger does not add up to the balance. */
export async function readBooks(system: System, account: Account): Promise<Books> {
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

/** USD of the API in nano-USD; exact for the amounts of tests. */
export function nano(usd: number): bigint {
  return BigInt(Math.round(usd * 1e9));
}

/** Polls until the condition holds; throws with `what` when it takes longer than `timeoutMs`. */
export async function eventually(
  what: string,
  condition: () => Promise<boolean> | boolean,
  timeoutMs = 10_000,
): Promise<void> {
  const deadlineMs = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > deadlineMs) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    await sleep(25);
  }
}
