import type { CellBilling, Cells } from '@gateway/call-billing';
import type { Logger } from '@gateway/process';
import type { ResolveKeyResponse__Output } from '@gateway/proto/generated/gateway/billing/v1/ResolveKeyResponse';
import type { WatchKeysResponse__Output } from '@gateway/proto/generated/gateway/billing/v1/WatchKeysResponse';
import { callUnary, PersistentStream } from '@gateway/rpc';
import type { KeyCache, ResolvedKey } from '../domain/key-cache';

const RESOLVE_TIMEOUT_MS = 5_000;

/** Resolves a key at the home cell's billing, which may know that another cell has it. */
export async function resolveKey(cells: Cells<CellBilling>, key: string): Promise<ResolvedKey> {
  const atHome = await resolveAt(cells.home, key);
  const answer = atHome.cell === '' ? atHome : await resolveAt(cells.of(atHome.cell), key);
  if (!answer.key) throw new Error('billing resolved a key without its context');
  if (answer.key.cell !== atHome.cell) throw new Error('billing is of another cell than its address says');
  return { context: answer.key, validUntilMs: Number(answer.validUntilMs) };
}

const resolveAt = ({ client }: CellBilling, key: string): Promise<ResolveKeyResponse__Output> =>
  callUnary(client, client.ResolveKey, { key }, { timeoutMs: RESOLVE_TIMEOUT_MS });

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
