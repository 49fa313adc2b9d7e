import { every, type Logger, type Repeated } from '@gateway/process';
import type { MediaServiceClient } from '@gateway/proto/generated/gateway/media/v1/MediaService';
import { callUnary } from '@gateway/rpc';

/** How soon the model list has the models of a provider that an operator connects. */
const INTERVAL_MS = 3_000;
const TIMEOUT_MS = 5_000;

/**
 * The providers that media serves, for the model list. They change rarely, and media knows them exactly, so they are
 * polled. Until media has answered, every provider counts as served; when media stops answering, the last list is kept.
 */
export class MediaProviders {
  readonly #polling: Repeated;
  #ids: ReadonlySet<string> | undefined;

  constructor(client: MediaServiceClient, log: Logger) {
    this.#polling = every(INTERVAL_MS, 'media providers', log, async () => {
      const { providers } = (await callUnary(client, client.ListProviders, {}, { timeoutMs: TIMEOUT_MS }))!;
      this.#ids = new Set(providers.map(({ id }) => id));
    });
  }

  /** Resolves after the first query to media, answered or not. */
  get firstAnswer(): Promise<void> {
    return this.#polling.firstRun;
  }

  readonly serves = (provider: string): boolean => this.#ids?.has(provider) ?? true;

  close(): Promise<void> {
    return this.#polling.stop();
  }
}
