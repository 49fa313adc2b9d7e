import type { Pool } from '@gateway/postgres';
import type { Logger } from '@gateway/process';
import type { Catalog } from '../domain/catalog';
import type { Providers } from '../domain/providers';
import { ChangeListener } from './change-listener';
import { loadChanges } from './models';
import { loadProviders } from './providers';

export interface ChangeFollower {
  /** Applies what is committed now. Never throws: what can't be read now is read later. */
  refresh(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Applies the changes of all instances: when one is announced, and at each interval in case an announcement was missed.
 */
export function followChanges(options: {
  pool: Pool;
  /** The URL of the pool's database. */
  url: string;
  catalog: Catalog;
  providers: Providers;
  log: Logger;
  intervalMs: number;
}): ChangeFollower {
  const { pool, catalog, providers, log, intervalMs } = options;
  let stopped = false;
  let failing = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let queued: Promise<void> | undefined;
  const ask = async () => {
    if (stopped) return;
    try {
      catalog.apply(await loadChanges(pool, catalog.revision));
      const changed = await loadProviders(pool, providers.revision);
      if (changed) providers.replace(changed.revision, changed.providers);
      failing = false;
    } catch (error) {
      // The state in memory is still served.
      if (!failing) log.warn({ err: error }, 'catalog changes not readable; serving the state in memory');
      failing = true;
    }
  };
  const refresh = () => {
    // The current read may have started too early, so another one follows, for all callers that wait.
    queued ??= running.then(() => {
      queued = undefined;
      running = ask();
      return running;
    });
    return queued;
  };
  const listener = new ChangeListener(options.url, () => void refresh());
  const poll = async () => {
    listener.ensure();
    await refresh();
    if (!stopped) timer = setTimeout(poll, intervalMs);
  };
  listener.ensure();
  timer = setTimeout(poll, intervalMs);
  return {
    refresh,
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await Promise.all([listener.close(), queued ?? running]);
    },
  };
}
