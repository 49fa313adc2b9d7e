import { createClient } from '@gateway/postgres';
import type pg from 'pg';
import { CHANGES_CHANNEL } from './models';

/**
 * Receives a notification when another instance has made a change. Its user also polls at intervals, so a connection that is
 * lost, or dead without an error, delays a change but never hides it.
 */
export class ChangeListener {
  readonly #url: string;
  readonly #onChange: () => void;
  #client: pg.Client | undefined;
  #closed = false;

  constructor(url: string, onChange: () => void) {
    this.#url = url;
    this.#onChange = onChange;
  }

  /** Connects unless the connection is up. */
  ensure(): void {
    if (this.#client || this.#closed) return;
    const client = createClient(this.#url, {
      applicationName: 'catalog change listener',
      connectTimeoutMs: 5_000,
      queryTimeoutMs: 5_000,
    });
    this.#client = client;
    const lost = () => {
      if (this.#client !== client) return;
      this.#client = undefined;
      client.end().catch(() => {});
    };
    client.on('error', lost);
    client.on('end', lost);
    client.on('notification', this.#onChange);
    // Changes made while the connection was down are read as soon as it is up.
    client
      .connect()
      .then(() => client.query(`LISTEN ${CHANGES_CHANNEL}`))
      .then(this.#onChange, lost);
  }

  async close(): Promise<void> {
    this.#closed = true;
    const client = this.#client;
    this.#client = undefined;
    await client?.end().catch(() => {});
  }
}
