import pg from 'pg';
import type { System } from './system';

/** Returns rows of the system's database; amounts are decimal strings. */
export async function queryDatabase<Row extends pg.QueryResultRow>(
  { stack }: System,
  text: string,
  values: readonly unknown[],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: stack.engines.databaseUrl });
  await client.connect();
  try {
    return (await client.query<Row>(text, [...values])).rows;
  } finally {
    await client.end();
  }
}
