import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
  /** Code older than this migration can't use the migrated schema. */
  readonly breaking: boolean;
}

/** The service's privileges, in the same directory as the migrations. */
export const GRANTS_FILE = 'grants.sql';

/** First line of a migration that is incompatible with older code. */
const BREAKING_HEADER = '--! breaking';

/** Returns the numbered `.sql` files of a service, in order. */
export async function readMigrations(directory: string): Promise<Migration[]> {
  const files = (await readdir(directory)).filter((name) => name.endsWith('.sql') && name !== GRANTS_FILE);
  return Promise.all(
    files.sort().map(async (name, index) => {
      const number = Number(/^(\d{4})-/.exec(name)?.[1]);
      if (number !== index + 1) throw new Error(`migration ${name} is out of sequence`);
      const sql = await readFile(path.join(directory, name), 'utf8');
      return { number, name, sql, breaking: sql.startsWith(BREAKING_HEADER) };
    }),
  );
}
