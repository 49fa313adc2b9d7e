import { randomUUID } from 'node:crypto';
import { every, type Logger, type Repeated } from '@gateway/process';
import type { CatalogServiceClient } from '@gateway/proto/generated/gateway/catalog/v1/CatalogService';
import type { Provider__Output } from '@gateway/proto/generated/gateway/catalog/v1/Provider';
import { callUnary } from '@gateway/rpc';
import type { CostedCredential, DailyCosts } from '@gateway/upstream';

const INTERVAL_MS = 5_000;
const TIMEOUT_MS = 2_000;
/** Catalog's maximum. */
const MAX_COSTS = 1_000;

export interface CredentialCostSyncOptions {
  readonly client: CatalogServiceClient;
  readonly costs: DailyCosts;
  readonly log: Logger;
}

/**
 * Exchanges the daily costs of credentials with the other instances, through catalog, every 5 s while there is anything to report or a
 * limit to keep. A process that is killed loses what it has not reported: these costs guard the operator's spending, and no
 * client is charged by them.
 */
export class CredentialCostSync {
  /** Of the process: after a restart the sum goes on. */
  readonly #instanceId = randomUUID();
  readonly #options: CredentialCostSyncOptions;
  readonly #repeated: Repeated;
  #running: Promise<void> = Promise.resolve();
  #queued: Promise<void> | undefined;
  #isFailing = false;

  constructor(options: CredentialCostSyncOptions) {
    this.#options = options;
    this.#repeated = every(INTERVAL_MS, 'credential costs', options.log, () => this.sync());
  }

  /** Takes over the credentials of the catalog, and asks at once for what was already spent with them today. */
  replaceProviders(providers: readonly Provider__Output[]): void {
    this.#options.costs.replaceCredentials(providers.flatMap(costedCredentials));
    void this.sync();
  }

  /** Exchanges the current costs. Never throws: without catalog the last known costs count. */
  sync(): Promise<void> {
    this.#queued ??= this.#running.then(() => {
      this.#queued = undefined;
      this.#running = this.#exchange();
      return this.#running;
    });
    return this.#queued;
  }

  /** Reports the last costs and stops. */
  async close(): Promise<void> {
    await this.#repeated.stop();
    await this.sync();
  }

  async #exchange(): Promise<void> {
    const { client, costs, log } = this.#options;
    const { day, costs: all } = costs.report();
    const entries = [...all];
    try {
      for (let start = 0; start < entries.length; start += MAX_COSTS) {
        const part = entries.slice(start, start + MAX_COSTS);
        const request = { instanceId: this.#instanceId, day, costs: part.map(toProtoCost) };
        const settings = { timeoutMs: TIMEOUT_MS };
        const { totals } = await callUnary(client, client.SyncCredentialCosts, request, settings);
        costs.received(
          { day, costs: new Map(part) },
          new Map(totals.map(({ credentialId, costNano }) => [credentialId, BigInt(costNano)])),
        );
      }
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing)
        log.warn({ err: error }, 'costs of credentials not exchanged; the last known count');
      this.#isFailing = true;
    }
  }
}

const costedCredentials = ({ id: provider, credentials }: Provider__Output): CostedCredential[] =>
  credentials.map(({ id, name, limits }) => {
    const limitNano = BigInt(limits?.costPerDayNano ?? 0);
    return { provider, id, name, ...(limitNano > 0n && { limitNano }) };
  });

const toProtoCost = ([credentialId, costNano]: readonly [string, bigint]) => ({
  credentialId,
  costNano: costNano.toString(),
});
