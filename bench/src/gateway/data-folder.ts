import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';

/** In the checkout, not in /tmp, which is in memory on some machines, where a commit would cost nothing. */
const PARENT = join(__dirname, '../../../node_modules/.cache/bench');

export function createDataFolder(): string {
  mkdirSync(PARENT, { recursive: true });
  const folder = mkdtempSync(join(PARENT, 'run-'));
  // If root runs this, PostgreSQL's user must be able to traverse the folder.
  chmodSync(folder, 0o711);
  return folder;
}

/** Removes the folder, and PostgreSQL's data if it is elsewhere because its user can't enter the checkout. */
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
