import { type FSWatcher, readdirSync, watch } from 'node:fs';
import { join } from 'node:path';

export interface WatchSourcesOptions {
  /** The repository. */
  readonly root: string;
  /** Compiles everything that has changed. Never rejects. */
  readonly compile: () => Promise<void>;
  /** Time without changes before it compiles. */
  readonly quietMs?: number;
}

const QUIET_MS = 100;

/**
 * Compiles when a source of a service or package changes, one compilation at a time. (`tsc --build --watch` of TypeScript 7.0.2
 * misses changes in a repository of this many projects.) Returns the function that stops watching.
 */
export function watchSources({ root, compile, quietMs = QUIET_MS }: WatchSourcesOptions): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isCompiling = false;
  let changedMeanwhile = false;

  const run = async () => {
    isCompiling = true;
    await compile();
    isCompiling = false;
    if (changedMeanwhile) schedule();
  };
  const schedule = () => {
    changedMeanwhile = isCompiling;
    clearTimeout(timer);
    if (!isCompiling) timer = setTimeout(run, quietMs);
  };
  const watchers: FSWatcher[] = ['services', 'packages'].flatMap((folder) =>
    readdirSync(join(root, folder)).map((name) =>
      watch(join(root, folder, name, 'src'), { recursive: true }, schedule),
    ),
  );
  return () => {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  };
}
