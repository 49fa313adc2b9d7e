import { setTimeout as sleep } from 'node:timers/promises';
import { GatewayError } from '@gateway/errors';
import type { Account } from '@gateway/upstream';

/** A provider that was just created arrives in the services a moment later. */
const ARRIVAL_MS = 2_000;
const ARRIVAL_POLL_MS = 50;

/**
 * Returns an account at a provider, waiting for one that was just created.
 * @param credentialId empty: the first usable credential
 * @throws GatewayError `not_found` with `detail`
 */
export async function arrivedAccount<Provider extends { readonly id: string }>(
  accountsOf: (provider: string) => readonly Account<Provider>[],
  id: string,
  credentialId: string,
  detail: string,
): Promise<Account<Provider>> {
  const untilMs = performance.now() + ARRIVAL_MS;
  for (;;) {
    const account = accountsOf(id).find(
      ({ credential }) => credentialId === '' || credential.id === credentialId,
    );
    if (account) return account;
    if (performance.now() > untilMs) throw new GatewayError('not_found', { detail });
    await sleep(ARRIVAL_POLL_MS);
  }
}
