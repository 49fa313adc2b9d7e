import type { Logger, Pool } from '@gateway/runtime';
import type { Catalog } from '../domain/catalog';
import { loadChanges } from './models';

/**
 * Takes in what any instance writes, by asking for the revision at each interval: one small query, and no
 * connection set aside that could be lost unnoticed. Answers how to stop.
 */
export function followChanges(options: {
  pool: Pool;
  catalog: Catalog;
  log: Logger;
  intervalMs: number;
}): () => Promise<void> {
  const { pool, catalog, log, intervalMs } = options;
  let stopped = false;
  let failing = false;
  let timer: NodeJS.Timeout | undefined;
  let asking: Promise<void> = Promise.resolve();
  const ask = async () => {
    try {
      catalog.apply(await loadChanges(pool, catalog.revision));
      failing = false;
    } catch (error) {
      // The models in memory go on being served.
      if (!failing) log.warn({ err: error }, 'catalog changes unreadable');
      failing = true;
    }
    if (!stopped) schedule();
  };
  const schedule = () => {
    timer = setTimeout(() => {
      asking = ask();
    }, intervalMs);
  };
  schedule();
  return async () => {
    stopped = true;
    clearTimeout(timer);
    await asking;
  };
}
