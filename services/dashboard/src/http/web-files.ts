import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/** Media types of the files that the web UI's build produces. */
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

export interface WebFile {
  readonly type: string;
  readonly plain: Buffer;
  /** Absent for files that are too small to benefit. */
  readonly gzip: Buffer | undefined;
  readonly br: Buffer | undefined;
}

/**
 * Returns the built web UI by path (`/index.html`); empty if it is not built. It is kept in memory, about 2 MB, so that all
 * files are of one build whatever happens on disk, and no client waits for the disk.
 */
export async function loadWebFiles(directory: string): Promise<ReadonlyMap<string, WebFile>> {
  const entries = await readdir(directory, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const names = new Set(entries);
  const read = (name: string) => readFile(path.join(directory, name));
  const readIfThere = (name: string) => (names.has(name) ? read(name) : undefined);
  const files = [...names].map(async (name): Promise<[string, WebFile] | undefined> => {
    const type = TYPES[path.extname(name)];
    if (!type) return undefined;
    const [plain, gzip, br] = await Promise.all([
      read(name),
      readIfThere(`${name}.gz`),
      readIfThere(`${name}.br`),
    ]);
    return [`/${name.split(path.sep).join('/')}`, { type, plain, gzip, br }];
  });
  return new Map((await Promise.all(files)).filter((file) => file !== undefined));
}
