import type { Logger } from '@gateway/process';
import type { BillingServiceClient } from '@gateway/proto/generated/gateway/billing/v1/BillingService';
import type { WatchKeysResponse__Output } from '@gateway/proto/generated/gateway/billing/v1/WatchKeysResponse';
import { callUnary, PersistentStream } from '@gateway/rpc';
import type { KeyCache, ResolvedKey } from '../domain/key-cache';

const RESOLVE_TIMEOUT_MS = 5_000;

/** Resolves a key at billing. */
export async function resolveKey(client: BillingServiceClient, key: string): Promise<ResolvedKey> {
  const answer = await callUnary(client, client.ResolveKey, { key }, { timeoutMs: RESOLVE_TIMEOUT_MS });
  if (!answer?.key) throw new Error('billing resolved a key without its context');
  return { context: answer.key, validUntilMs: Number(answer.validUntilMs) };
}

/** Invalidates cached keys that billing reports as changed. One stream per address of a billing instance. */
export function watchKeys(
  client: BillingServiceClient,
  cache: KeyCache,
  log: Logger,
): PersistentStream<WatchKeysResponse__Output> {
  return new PersistentStream<WatchKeysResponse__Output>({
    name: 'billing.WatchKeys',
    log,
    open: () => client.WatchKeys({}),
    onUp: () => cache.watch(),
    onDown: () => cache.unwatch(),
    onMessage: ({ keyIds, accountIds }) => cache.invalidate(keyIds, accountIds),
  });
}
