import { readFile } from 'node:fs/promises';
import type { JsonSchema } from './schema-book';

/** Reads the schemas of `/v1` bodies by name, as chat and media define them. */
export async function readV1Bodies(file: string): Promise<Record<string, JsonSchema>> {
  return JSON.parse(await readFile(file, 'utf8'));
}
