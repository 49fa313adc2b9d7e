import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { queryDatabase } from './query-database';
import type { System } from './system';

/** Returns the tables, and the files of the system's folder with its logs, that contain one of the secrets in clear. */
export async function placesOfSecrets(system: System, secrets: readonly string[]): Promise<string[]> {
  const tables = await queryDatabase<{ name: string }>(
    system,
    `SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
     WHERE table_schema NOT IN ('pg_catalog', 'information_schema') AND table_type = 'BASE TABLE'`,
    [],
  );
  if (!tables.some(({ name }) => name === 'catalog.credentials'))
    throw new Error('not the database of the system');
  const places: string[] = [];
  for (const { name } of tables) {
    const rows = await queryDatabase<{ text: string }>(system, `SELECT t::text AS text FROM ${name} t`, []);
    for (const secret of secrets) if (rows.some(({ text }) => text.includes(secret))) places.push(name);
  }
  for (const file of filesIn(system.stack.dataDir)) {
    const bytes = readFileSync(file);
    for (const secret of secrets) if (bytes.includes(secret)) places.push(file);
  }
  return places;
}

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
