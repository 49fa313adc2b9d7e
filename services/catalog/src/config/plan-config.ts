import { randomUUID } from 'node:crypto';
import { decimalFromNano } from '@gateway/money';
import type { ModelEntry } from '../domain/model';
import { type Credential, MAX_PROVIDERS, type Provider, type ProviderEntry } from '../domain/provider';
import { fromSeedModel } from '../seed/from-seed';
import { toSeedModel } from '../seed/to-seed';
import type { CatalogEdit } from '../store/edit-catalog';
import type { ProviderEdit } from '../store/providers';
import { type ConfigProblem, toProviderEntry } from './check-config';
import { type ConfigChange, changesBetween } from './config-changes';
import type { ConfiguredProvider, GatewayConfig } from './config-schema';

/** What a configuration would change. */
export interface ConfigPlan {
  /** The catalog excludes the configuration, for reasons that are not in the file. */
  readonly problems: readonly ConfigProblem[];
  readonly changes: readonly ConfigChange[];
  /** Makes the changes, in this order. */
  readonly steps: readonly (() => Promise<void>)[];
}

/** Compares a configuration with the catalog, in the transaction in which it will be applied. */
export async function planConfig(
  { providers, models }: GatewayConfig,
  catalog: CatalogEdit,
  stored: ProviderEdit,
): Promise<ConfigPlan> {
  const current = await stored.all();
  const parts = [
    ...providers.map((provider, at) => planProvider(provider, `providers[${at}]`, current, stored)),
    ...(await planModels(models.map(fromSeedModel), providers, current, catalog)),
  ];
  const added = providers.filter(({ id }) => !current.some((provider) => provider.id === id)).length;
  const isFull = current.length + added > MAX_PROVIDERS;
  const full = { path: 'providers', message: `there can be at most ${MAX_PROVIDERS} providers` };
  const steps = parts.flatMap((part) => part.steps);
  return {
    problems: [...(isFull ? [full] : []), ...parts.flatMap((part) => part.problems)],
    changes: parts.flatMap((part) => part.changes),
    steps: parts.some(({ isOfProvider, ...part }) => isOfProvider && part.steps.length > 0)
      ? [...steps, () => stored.announce()]
      : steps,
  };
}

interface Part extends ConfigPlan {
  readonly isOfProvider: boolean;
  /** A model has aliases that it gives up. */
  readonly freesNames: boolean;
}

function planProvider(
  provider: ConfiguredProvider,
  path: string,
  all: readonly Provider[],
  stored: ProviderEdit,
): Part {
  const entry = toProviderEntry(provider);
  const current = all.find(({ id }) => id === entry.id);
  const name = `providers.${entry.id}`;
  const credentials = provider.credentials.map(toCredential);
  const changes = changesBetween(
    name,
    current && toShown(current, current.credentials),
    toShown(entry, credentials),
  );
  const part = { isOfProvider: true, freesNames: false, changes };
  if (current && current.kind !== entry.kind) {
    const message = `is ${current.kind} and can't be changed: delete the provider first, or use another id`;
    return { ...part, problems: [{ path: `${path}.kind`, message }], steps: [] };
  }
  const steps = [
    ...(current ? [] : [() => stored.insert(entry)]),
    ...(current && changes.some(({ path: changed }) => !changed.startsWith(`${name}.credentials.`))
      ? [() => stored.update(entry)]
      : []),
    ...credentialSteps(entry.id, credentials, current?.credentials ?? [], stored),
  ];
  return { ...part, problems: [], steps: changes.length > 0 ? steps : [] };
}

type DraftCredential = Omit<Credential, 'id' | 'createdAtMs'>;

const toCredential = (given: ConfiguredProvider['credentials'][number]): DraftCredential => ({
  name: given.name,
  weight: given.weight,
  enabled: given.enabled,
  limits: {
    ...(given.rpm_limit !== undefined && { requestsPerMinute: given.rpm_limit }),
    ...(given.tpm_limit !== undefined && { tokensPerMinute: given.tpm_limit }),
    ...(given.concurrency_limit !== undefined && { concurrency: given.concurrency_limit }),
    ...(given.daily_cost_limit !== undefined && { costPerDayNano: given.daily_cost_limit }),
  },
  hint: given.secret_ref,
  secret: { reference: given.secret_ref },
});

function credentialSteps(
  provider: string,
  wanted: readonly DraftCredential[],
  current: readonly Credential[],
  stored: ProviderEdit,
): (() => Promise<void>)[] {
  const names = new Set(wanted.map(({ name }) => name));
  const gone = current.filter(({ name }) => !names.has(name));
  return [
    ...gone.map(
      ({ id }) =>
        () =>
          stored.removeCredential(provider, id),
    ),
    ...wanted.map((credential) => {
      const known = current.find(({ name }) => name === credential.name);
      return known
        ? () => stored.updateCredential({ ...credential, id: known.id })
        : () => stored.insertCredential(provider, { ...credential, id: randomUUID() });
    }),
  ];
}

/** A provider as the diff shows it: in the form of the file, with what operators see of a secret. */
const toShown = (
  { kind, name, baseUrl, headers, options, enabled }: ProviderEntry,
  credentials: readonly DraftCredential[],
) => ({
  kind,
  name,
  base_url: baseUrl,
  headers,
  options,
  enabled,
  credentials: Object.fromEntries(
    credentials.map(({ name: of, weight, enabled: isEnabled, limits, hint, secret }) => [
      of,
      {
        weight,
        enabled: isEnabled,
        rpm_limit: limits.requestsPerMinute,
        tpm_limit: limits.tokensPerMinute,
        concurrency_limit: limits.concurrency,
        daily_cost_limit:
          limits.costPerDayNano === undefined ? undefined : decimalFromNano(limits.costPerDayNano),
        secret: 'reference' in secret ? secret.reference : `stored ${hint}`,
      },
    ]),
  ),
});

async function planModels(
  models: readonly ModelEntry[],
  providers: GatewayConfig['providers'],
  stored: readonly Provider[],
  catalog: CatalogEdit,
): Promise<Part[]> {
  const known = new Set([
    ...providers.map(({ id }) => id),
    ...stored.map(({ id }) => id),
    ...(await catalog.targetProviders()),
  ]);
  const bySlug = new Map(models.map((model) => [model.slug, model]));
  const parts: Part[] = [];
  // One query at a time: they share a connection.
  for (const [at, model] of models.entries()) {
    const path = `models[${at}]`;
    const current = await catalog.find(model.slug);
    const changes = changesBetween(
      `models.${model.slug}`,
      current && toSeedModel(current),
      toSeedModel(model),
    );
    parts.push({
      isOfProvider: false,
      freesNames: (current?.aliases ?? []).some((alias) => !model.aliases.includes(alias)),
      problems: [
        ...unknownProviders(model, path, known),
        ...(await nameProblems(model, path, bySlug, catalog)),
        ...(await successorProblems(model, path, bySlug, catalog)),
        ...(await fallbackProblems(model, path, bySlug, catalog)),
      ],
      changes,
      steps:
        changes.length === 0
          ? []
          : [() => (current ? catalog.replace(current, model) : catalog.insert(model))],
    });
  }
  // A name is free for another model after the one that has it was changed.
  return parts.sort((one, other) => Number(other.freesNames) - Number(one.freesNames));
}

const unknownProviders = (
  { targets }: ModelEntry,
  path: string,
  known: ReadonlySet<string>,
): ConfigProblem[] =>
  targets.flatMap(({ provider }, at) =>
    known.has(provider)
      ? []
      : [{ path: `${path}.targets[${at}].provider`, message: `there is no provider ${provider}` }],
  );

async function nameProblems(
  { slug, aliases }: ModelEntry,
  path: string,
  bySlug: ReadonlyMap<string, ModelEntry>,
  catalog: CatalogEdit,
): Promise<ConfigProblem[]> {
  const owners = await catalog.ownersOf([slug, ...aliases]);
  return [...owners].flatMap(([name, owner]) => {
    const field = name === slug ? 'slug' : 'aliases';
    const ofOwner = bySlug.get(owner);
    const isGivenUp = ofOwner !== undefined && name !== owner && !ofOwner.aliases.includes(name);
    return owner === slug || isGivenUp
      ? []
      : [{ path: `${path}.${field}`, message: `${name} is already used by ${owner}` }];
  });
}

async function successorProblems(
  { successor }: ModelEntry,
  path: string,
  bySlug: ReadonlyMap<string, ModelEntry>,
  catalog: CatalogEdit,
): Promise<ConfigProblem[]> {
  if (successor === undefined || bySlug.has(successor) || (await catalog.find(successor))) return [];
  return [{ path: `${path}.successor`, message: `there is no model ${successor}` }];
}

async function fallbackProblems(
  { fallbackModels }: ModelEntry,
  path: string,
  bySlug: ReadonlyMap<string, ModelEntry>,
  catalog: CatalogEdit,
): Promise<ConfigProblem[]> {
  const problems: ConfigProblem[] = [];
  for (const [at, slug] of fallbackModels.entries()) {
    const found = bySlug.get(slug) ?? (await catalog.find(slug));
    if (found?.outputModalities.includes('text')) continue;
    const message = found ? `${slug} is not a chat model` : `there is no model ${slug}`;
    problems.push({ path: `${path}.fallback_models[${at}]`, message });
  }
  return problems;
}
