import { type FSWatcher, readdirSync, watch } from 'node:fs';
import { join } from 'node:path';
import { SERVICES, type ServiceName } from './services';
import type { Stack } from './stack-contract';

export interface WatchServicesOptions {
  readonly stack: Pick<Stack, 'restart'>;
  /** The repository. */
  readonly root: string;
  readonly log: (message: string) => void;
  /** Time without changes to the compiler's output before services restart. */
  readonly quietMs?: number;
}

const QUIET_MS = 300;
const ALL: readonly ServiceName[] = SERVICES.map(({ name }) => name);

/**
 * Restarts a service when its compiled code changes, and every service when the code of a package does. Changes during a
 * restart are handled by the next one. Returns the function that stops watching.
 */
export function watchServices({ stack, root, log, quietMs = QUIET_MS }: WatchServicesOptions): () => void {
  const changed = new Set<ServiceName>();
  let timer: NodeJS.Timeout | undefined;
  let restarting: Promise<void> | undefined;

  const restart = async () => {
    const names = ALL.filter((name) => changed.delete(name));
    log(`Restarting ${names.join(', ')} …`);
    const results = await Promise.allSettled(names.map((name) => stack.restart(name)));
    for (const { reason } of results.filter((result) => result.status === 'rejected')) log(String(reason));
    restarting = undefined;
    if (changed.size > 0) schedule();
  };
  const schedule = () => {
    clearTimeout(timer);
    if (!restarting) {
      timer = setTimeout(() => {
        restarting = restart();
      }, quietMs);
    }
  };
  const onChange = (names: readonly ServiceName[]) => () => {
    for (const name of names) changed.add(name);
    schedule();
  };

  const watchers: FSWatcher[] = ALL.map((name) =>
    watch(join(root, 'services', name, 'dist'), { recursive: true }, onChange([name])),
  );
  for (const name of readdirSync(join(root, 'packages'))) {
    watchers.push(watch(join(root, 'packages', name, 'dist'), { recursive: true }, onChange(ALL)));
  }
  return () => {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  };
}
