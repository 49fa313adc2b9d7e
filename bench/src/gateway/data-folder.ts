import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';

/** In the checkout and not in /tmp, which is memory on some machines, where a commit would cost nothing. */
const PARENT = join(__dirname, '../../../node_modules/.cache/bench');

export function makeDataFolder(): string {
  mkdirSync(PARENT, { recursive: true });
  const folder = mkdtempSync(join(PARENT, 'run-'));
  // When root runs this, PostgreSQL's user has to pass through.
  chmodSync(folder, 0o711);
  return folder;
}

/** Also what root's PostgreSQL had to keep elsewhere because other users may not enter the checkout. */
export function removeDataFolder(folder: string): void {
  const home = postgresHome(folder);
  if (home !== undefined && isAbsolute(home)) rmSync(home, { recursive: true, force: true });
  rmSync(folder, { recursive: true, force: true });
}

function postgresHome(folder: string): string | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, 'postgres.json'), 'utf8')).home;
  } catch {
    return undefined;
  }
}
