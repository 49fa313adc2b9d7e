import pg from 'pg';
import { CHANGES_CHANNEL } from './models';

/**
 * Hears at once that another instance changed something. Whoever uses it asks now and then anyway, so a
 * connection that is lost, or dead without saying so, delays a change and never hides one.
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

  /** Connects unless that has been done and lasts. */
  ensure(): void {
    if (this.#client || this.#closed) return;
    const client = new pg.Client({
      connectionString: this.#url,
      application_name: 'catalog change listener',
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
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
    // What changed while nobody listened is asked for as soon as somebody does.
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
