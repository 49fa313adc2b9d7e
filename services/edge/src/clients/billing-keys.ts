import type { CellBilling, Cells } from '@gateway/call-billing';
import type { Logger } from '@gateway/process';
import type { ResolveKeyResponse__Output } from '@gateway/proto/generated/gateway/billing/v1/ResolveKeyResponse';
import type { WatchKeysResponse__Output } from '@gateway/proto/generated/gateway/billing/v1/WatchKeysResponse';
import { Quota } from '@gateway/quota';
import { callUnary, PersistentStream } from '@gateway/rpc';
import type { KeyCache, ResolvedKey } from '../domain/key-cache';

const RESOLVE_TIMEOUT_MS = 5_000;

/** In flight at the billing of one cell; beyond it callers are refused with a retry time. */
const MAX_LOOKUPS = 1_000;

/** Returns a function that resolves a key at the home cell's billing, which may know that another cell has it. */
export function keyResolver(cells: Cells<CellBilling>): (key: string) => Promise<ResolvedKey> {
  // A cell that is slow must not use up the lookups of others.
  const limited = cells.map(({ client }) => ({ client, lookups: new Quota({ limit: MAX_LOOKUPS }) }));
  return async (key) => {
    const atHome = await resolveAt(limited.home, key);
    const answer = atHome.cell === '' ? atHome : await resolveAt(limited.of(atHome.cell), key);
    if (!answer.key) throw new Error('billing resolved a key without its context');
    if (answer.key.cell !== atHome.cell) throw new Error('billing is of another cell than its address says');
    return { context: answer.key, validUntilMs: Number(answer.validUntilMs) };
  };
}

async function resolveAt(
  { client, lookups }: Pick<CellBilling, 'client'> & { readonly lookups: Quota },
  key: string,
): Promise<ResolveKeyResponse__Output> {
  const release = lookups.lease(undefined);
  try {
    return await callUnary(client, client.ResolveKey, { key }, { timeoutMs: RESOLVE_TIMEOUT_MS });
  } finally {
    release();
  }
}

/** Invalidates cached keys that the billing of a cell reports as changed. */
export function watchKeys(
  { name, client }: CellBilling,
  cache: KeyCache,
  log: Logger,
): PersistentStream<WatchKeysResponse__Output> {
  return new PersistentStream<WatchKeysResponse__Output>({
    name: 'billing.WatchKeys',
    log,
    open: () => client.WatchKeys({}),
    onUp: () => cache.watch(name),
    onDown: () => cache.unwatch(name),
    onMessage: ({ keyIds, accountIds }) => cache.invalidate(keyIds, accountIds),
  });
}
