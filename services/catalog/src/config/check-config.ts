import { parseSecretReference } from '@gateway/secrets';
import type { z } from 'zod';
import { type AddressRules, providerProblems, toProviderEntry as toEntry } from '../domain/provider';
import { type ConfiguredProvider, configSchema, type GatewayConfig } from './config-schema';

/** What is wrong, and where: `providers[0].credentials[1].secret_ref`. */
export interface ConfigProblem {
  readonly path: string;
  readonly message: string;
}

/** Returns the configuration, or all of its problems. */
export function checkConfig(
  value: unknown,
  addresses: AddressRules,
): { config: GatewayConfig } | { problems: ConfigProblem[] } {
  const { data: config, error } = configSchema.safeParse(value ?? {});
  // What can be checked of a document with mistakes is checked too, so that all of them are reported at once.
  const problems = [...(error?.issues ?? []).map(fromIssue), ...crossProblems(config ?? value, addresses)];
  return config && problems.length === 0 ? { config } : { problems };
}

function fromIssue({ path, message }: z.core.$ZodIssue): ConfigProblem {
  return { path: pathOf(path), message };
}

const pathOf = (path: readonly PropertyKey[]): string =>
  path
    .map((step, at) => (typeof step === 'number' ? `[${step}]` : `${at === 0 ? '' : '.'}${String(step)}`))
    .join('');

function crossProblems(document: unknown, addresses: AddressRules): ConfigProblem[] {
  const { providers, models } = (document ?? {}) as { providers?: unknown; models?: unknown };
  return [
    ...listOf(providers).flatMap((provider, at) =>
      problemsOfProvider(provider, `providers[${at}]`, addresses),
    ),
    ...duplicates(providers, 'id', 'providers'),
    ...duplicates(models, 'slug', 'models'),
    ...sharedNames(models),
  ];
}

const listOf = (value: unknown): readonly Record<string, unknown>[] =>
  Array.isArray(value)
    ? value.map((item) =>
        typeof item === 'object' && item !== null ? (item as Record<string, unknown>) : {},
      )
    : [];

/** Slugs and aliases are names of models, and no two models share one. */
function sharedNames(models: unknown): ConfigProblem[] {
  const all = listOf(models);
  const owners = new Map(all.map(({ slug }, at) => [slug, at]));
  return all.flatMap(({ aliases }, at) =>
    (Array.isArray(aliases) ? aliases : []).flatMap((alias, index) => {
      const owner = owners.get(alias);
      if (owner === undefined) owners.set(alias, at);
      if (owner === undefined || owner === at) return [];
      return [{ path: `models[${at}].aliases[${index}]`, message: `is a name of models[${owner}] too` }];
    }),
  );
}

function problemsOfProvider(
  given: Record<string, unknown>,
  path: string,
  addresses: AddressRules,
): ConfigProblem[] {
  const { id, kind, base_url: baseUrl = '', credentials } = given;
  const entry = { ...given, id, kind, name: given.name ?? id, baseUrl } as Record<string, unknown>;
  const isTyped =
    ['id', 'kind', 'name', 'baseUrl'].every((field) => typeof entry[field] === 'string') &&
    isRecord(given.headers ?? {}, 'string') &&
    isRecord(given.options ?? {});
  const problems = isTyped ? problemsOfEntry(entry, path, addresses) : [];
  for (const [at, { secret_ref: reference }] of listOf(credentials).entries()) {
    if (typeof reference !== 'string' || parseSecretReference(reference)) continue;
    const message = 'must be env:CREDENTIAL_<NAME> or file:<name>';
    problems.push({ path: `${path}.credentials[${at}].secret_ref`, message });
  }
  return [...problems, ...duplicates(credentials, 'name', `${path}.credentials`)];
}

function problemsOfEntry(
  entry: Record<string, unknown>,
  path: string,
  addresses: AddressRules,
): ConfigProblem[] {
  const checked = { headers: {}, options: {}, enabled: true, ...entry } as Parameters<
    typeof providerProblems
  >[0];
  return providerProblems(checked, addresses).map((problem) => {
    const [field = '', ...message] = problem.split(': ');
    return { path: `${path}.${field}`, message: message.join(': ') };
  });
}

const isRecord = (value: unknown, type?: string): boolean =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  (type === undefined || Object.values(value).every((member) => typeof member === type));

function duplicates(items: unknown, field: string, path: string): ConfigProblem[] {
  const seen = new Map<unknown, number>();
  return listOf(items).flatMap((item, at) => {
    const value = item[field];
    const first = seen.get(value);
    if (typeof value !== 'string') return [];
    if (first === undefined) seen.set(value, at);
    return first === undefined
      ? []
      : [{ path: `${path}[${at}].${field}`, message: `is that of ${path}[${first}] too` }];
  });
}

/** Returns the provider as the catalog stores it. */
export const toProviderEntry = ({ base_url, credentials: _, name, kind, ...provider }: ConfiguredProvider) =>
  toEntry({ ...provider, kind, name: name ?? provider.id, baseUrl: base_url });
