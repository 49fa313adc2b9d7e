import { createClient } from '@gateway/postgres';
import type { Logger } from '@gateway/process';
import type pg from 'pg';
import type { KeyChanges } from '../rules/key-changes';
import { KEYS_CHANNEL } from './notify-keys';

export interface KeyListenerOptions {
  readonly url: string;
  readonly log: Logger;
  onChanges(changes: KeyChanges): void;
  /** From here on changes may have been missed. */
  onLost(): void;
}

const PROBE_INTERVAL_MS = 2_000;
const PROBE_TIMEOUT_MS = 3_000;
const BACKOFF_MIN_MS = 50;
const BACKOFF_MAX_MS = 2_000;

/**
 * Receives which keys this and other instances have changed, on a separate connection. The connection is probed, because a dead
 * connection is as silent as an idle one.
 */
export class KeyListener {
  /** Resolves when the listener is connected for the first time. */
  readonly started: Promise<void>;
  #onStarted!: () => void;
  readonly #options: KeyListenerOptions;
  #client: pg.Client | undefined;
  #up = false;
  #closed = false;
  #failures = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: KeyListenerOptions) {
    this.#options = options;
    this.started = new Promise((resolve) => {
      this.#onStarted = resolve;
    });
    void this.#connect();
  }

  get up(): boolean {
    return this.#up;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    const client = this.#client;
    this.#client = undefined;
    await client?.end().catch(() => {});
  }

  async #connect(): Promise<void> {
    const client = createClient(this.#options.url, {
      applicationName: 'billing key listener',
      connectTimeoutMs: 5_000,
      queryTimeoutMs: PROBE_TIMEOUT_MS,
    });
    this.#client = client;
    const lost = (error?: Error) => this.#lost(client, error);
    client.on('error', lost);
    client.on('end', () => lost());
    client.on('notification', ({ payload }) => this.#hear(client, payload ?? ''));
    try {
      await client.connect();
      await client.query(`LISTEN ${KEYS_CHANNEL}`);
    } catch (error) {
      lost(error instanceof Error ? error : undefined);
      return;
    }
    if (this.#client !== client) return;
    this.#up = true;
    this.#failures = 0;
    this.#onStarted();
    this.#probe(client);
  }

  #probe(client: pg.Client): void {
    this.#timer = setTimeout(() => {
      client.query('SELECT 1').then(
        () => this.#client === client && this.#probe(client),
        (error: Error) => this.#lost(client, error),
      );
    }, PROBE_INTERVAL_MS);
  }

  #hear(client: pg.Client, payload: string): void {
    let changes: KeyChanges;
    try {
      changes = JSON.parse(payload) as KeyChanges;
      if (!Array.isArray(changes.keyIds) || !Array.isArray(changes.accountIds)) throw new Error('shape');
    } catch {
      // Its content is unknown, so everything may have changed.
      this.#lost(client, new Error('malformed notification'));
      return;
    }
    this.#options.onChanges(changes);
  }

  #lost(client: pg.Client, error: Error | undefined): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    clearTimeout(this.#timer);
    // A client that has never connected may not emit `end`.
    client.end().catch(() => {});
    if (this.#up) {
      this.#up = false;
      this.#options.log.warn({ err: error }, 'key listener lost');
      this.#options.onLost();
    }
    if (this.#closed) return;
    const backoffMs = Math.min(BACKOFF_MAX_MS, BACKOFF_MIN_MS * 2 ** this.#failures++);
    this.#timer = setTimeout(() => void this.#connect(), backoffMs);
  }
}
