import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { ModelEntry } from '../domain/model';
import { fromSeedModel } from './from-seed';
import { problemsOf, seedFile } from './seed-schema';

export class SeedError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(`invalid catalog seed:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.name = 'SeedError';
  }
}

/** Returns the models of every `*.json` file in the folder. Throws a SeedError that lists all problems. */
export async function readSeed(directory: string): Promise<ModelEntry[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.json')).sort();
  if (names.length === 0) throw new SeedError([`${directory} contains no .json file`]);
  const files = await Promise.all(names.map((name) => readSeedFile(path.join(directory, name))));
  const models = files.flatMap((file) => file.models);
  const problems = [...files.flatMap((file) => file.problems), ...crossProblems(models)];
  if (problems.length > 0) throw new SeedError(problems);
  return models;
}

async function readSeedFile(file: string): Promise<{ models: ModelEntry[]; problems: string[] }> {
  const name = path.basename(file);
  const json = parseJson(await readFile(file, 'utf8'));
  if (!json) return { models: [], problems: [`${name}: not valid JSON`] };
  const result = seedFile.safeParse(json.value);
  if (result.success) return { models: result.data.models.map(fromSeedModel), problems: [] };
  return { models: [], problems: problemsOf(result.error).map((problem) => `${name}: ${problem}`) };
}

function parseJson(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

function crossProblems(models: readonly ModelEntry[]): string[] {
  const slugs = new Set<string>();
  const problems: string[] = [];
  for (const { slug } of models) {
    if (slugs.has(slug)) problems.push(`${slug}: defined twice`);
    slugs.add(slug);
  }
  const owners = new Map([...slugs].map((slug) => [slug, slug]));
  for (const { slug, aliases } of models) {
    for (const alias of aliases) {
      const owner = owners.get(alias);
      if (owner !== undefined) problems.push(`${slug}: alias ${alias} is already used by ${owner}`);
      owners.set(alias, slug);
    }
  }
  for (const { slug, successor, fallbackModels } of models) {
    if (successor !== undefined && !slugs.has(successor)) {
      problems.push(`${slug}: successor ${successor} does not exist`);
    }
    for (const fallback of fallbackModels) {
      if (!slugs.has(fallback)) problems.push(`${slug}: fallback model ${fallback} does not exist`);
    }
  }
  return problems;
}
