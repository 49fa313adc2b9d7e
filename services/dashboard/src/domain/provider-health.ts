import type { CatalogModel } from './listed-model';

export type ProviderService = 'chat' | 'media';
export type CircuitState = 'closed' | 'cooling' | 'suspect' | 'open' | 'half-open';

/** What one instance of a service reports about the providers that it calls. */
export interface ProviderReport {
  readonly windowSeconds: number;
  readonly providers: readonly { readonly id: string; readonly simulated: boolean }[];
  readonly targets: readonly TargetReport[];
  readonly credentials: readonly CredentialReport[];
}

/** Calls of one model with one credential. */
export interface TargetReport extends ReportedFigures {
  readonly provider: string;
  readonly upstreamModel: string;
  readonly credentialId: string;
  /** When a target that has answered 429 is called again; undefined: it is called. */
  readonly coolingUntilMs?: number;
}

/** Calls of all models with one credential. */
export interface CredentialReport extends ReportedFigures {
  readonly provider: string;
  readonly id: string;
  readonly name: string;
  readonly rateLimits?: ReportedLimits;
}

/** The provider's rate limits, as a reply named them. */
export interface ReportedLimits {
  readonly upstreamModel: string;
  readonly atMs: number;
  readonly limits: readonly {
    readonly name: string;
    readonly remaining: number;
    readonly limit?: number;
    readonly resetsAtMs?: number;
  }[];
}

interface ReportedFigures {
  readonly state: CircuitState;
  readonly calls: number;
  readonly errors: number;
  readonly timed: number;
  readonly latencySumMs: number;
  readonly latencyMaxMs: number;
  readonly lastFailure?: { readonly code: string; readonly status: number; readonly atMs: number };
}

export interface InstanceReport {
  readonly service: ProviderService;
  readonly address: string;
  /** Undefined: it did not answer. */
  readonly report: ProviderReport | undefined;
}

export interface ProviderHealth {
  readonly id: string;
  /** `nobody`: it is not configured. Null: the instances that know do not answer. */
  readonly served_by: 'credentials' | 'simulator' | 'nobody' | null;
  readonly targets: readonly TargetHealth[];
  /** Those that were used since the instances started. */
  readonly credentials: readonly CredentialHealth[];
}

export interface TargetHealth extends Health {
  readonly upstream_model: string;
  readonly service: ProviderService;
  /** Models that call it, by slug. */
  readonly models: readonly string[];
}

export interface CredentialHealth extends Health, CredentialLimitsHealth {
  readonly id: string;
  readonly name: string;
}

export interface CredentialLimitsHealth {
  /** When all targets that have answered 429 are called again; null: none is cooling. */
  readonly cooling_until: string | null;
  /** Of the last reply that an instance received; null: it named none. */
  readonly rate_limits: {
    readonly upstream_model: string;
    readonly at: string;
    readonly limits: readonly {
      readonly name: string;
      readonly remaining: number;
      readonly limit: number | null;
      readonly resets_at: string | null;
    }[];
  } | null;
}

export interface Health {
  /** The worst state reported by an instance for any credential; null if no reachable instance calls it. */
  readonly circuit: CircuitState | null;
  /** How often each state is reported, by instance and credential. */
  readonly circuits: Readonly<Partial<Record<CircuitState, number>>>;
  readonly calls: number;
  readonly errors: number;
  /** Null: no call in this time has a latency. */
  readonly latency: { readonly mean_ms: number; readonly max_ms: number } | null;
  readonly last_failure: {
    readonly code: string;
    readonly status: number | null;
    readonly at: string;
  } | null;
}

interface KnownTarget {
  readonly provider: string;
  readonly upstreamModel: string;
  readonly service: ProviderService;
  readonly models: string[];
}

/** Worst first. */
const STATES_WORST_FIRST: readonly CircuitState[] = ['open', 'suspect', 'half-open', 'cooling', 'closed'];

/** Returns every provider of `inCatalog`, that a model names or that an instance has, by id. */
export function providerHealth(
  models: Iterable<CatalogModel>,
  instances: readonly InstanceReport[],
  inCatalog: readonly string[],
): ProviderHealth[] {
  const targets = knownTargets(models, instances);
  const configured = instances.flatMap(({ report }) => report?.providers.map(({ id }) => id) ?? []);
  const ids = new Set([...inCatalog, ...configured, ...targets.map(({ provider }) => provider)]);
  return [...ids].sort().map((id) => ({
    id,
    served_by: servedBy(id, instances),
    targets: targets
      .filter(({ provider }) => provider === id)
      .map((target) => toTargetHealth(target, instances)),
    credentials: credentialHealth(id, instances),
  }));
}

function credentialHealth(provider: string, instances: readonly InstanceReport[]): CredentialHealth[] {
  const reports = instances.flatMap(({ report }) =>
    (report?.credentials ?? [])
      .filter((credential) => credential.provider === provider)
      .map((credential) => ({
        ...credential,
        state: stateOfCredential(credential, report!),
        coolingUntilMs: coolingUntilMs(credential, report!),
      })),
  );
  return [...Map.groupBy(reports, ({ id }) => id)].map(([id, figures]) => ({
    id,
    name: figures[0]!.name,
    ...toHealth(figures),
    cooling_until: timeOrNull(Math.max(...figures.map((one) => one.coolingUntilMs))),
    rate_limits: latestLimits(figures),
  }));
}

/** Returns 0 if no target of the credential is cooling. */
const coolingUntilMs = ({ provider, id }: CredentialReport, { targets }: ProviderReport): number =>
  Math.max(
    0,
    ...targets
      .filter((one) => one.provider === provider && one.credentialId === id)
      .map((one) => one.coolingUntilMs ?? 0),
  );

const timeOrNull = (timeMs = 0): string | null => (timeMs > 0 ? new Date(timeMs).toISOString() : null);

function latestLimits(
  figures: readonly Pick<CredentialReport, 'rateLimits'>[],
): CredentialLimitsHealth['rate_limits'] {
  const [latest] = figures
    .flatMap(({ rateLimits }) => rateLimits ?? [])
    .sort((one, other) => other.atMs - one.atMs);
  if (!latest) return null;
  const { upstreamModel, atMs, limits } = latest;
  return {
    upstream_model: upstreamModel,
    at: new Date(atMs).toISOString(),
    limits: limits.map(({ name, remaining, limit = null, resetsAtMs }) => ({
      name,
      remaining,
      limit,
      resets_at: timeOrNull(resetsAtMs),
    })),
  };
}

/** A credential that was not rejected is cooling while one of its targets is: rate limits are often those of an account. */
function stateOfCredential(
  { provider, id, state }: CredentialReport,
  { targets }: ProviderReport,
): CircuitState {
  if (state !== 'closed') return state;
  const isCooling = targets.some(
    (one) => one.provider === provider && one.credentialId === id && one.state === 'cooling',
  );
  return isCooling ? 'cooling' : 'closed';
}

function knownTargets(models: Iterable<CatalogModel>, instances: readonly InstanceReport[]): KnownTarget[] {
  const targets = new Map<string, KnownTarget>();
  const addTarget = (service: ProviderService, provider: string, upstreamModel: string): KnownTarget => {
    const name = JSON.stringify([provider, service, upstreamModel]);
    const target = targets.get(name) ?? { provider, upstreamModel, service, models: [] };
    targets.set(name, target);
    return target;
  };
  for (const model of models) {
    if (model.status === 'delisted') continue;
    for (const { provider, upstream_model } of model.targets) {
      for (const service of servicesOf(model))
        addTarget(service, provider, upstream_model).models.push(model.slug);
    }
  }
  // Called before the catalog changed.
  for (const { service, report } of instances) {
    for (const { provider, upstreamModel } of report?.targets ?? [])
      addTarget(service, provider, upstreamModel);
  }
  return [...targets].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, target]) => target);
}

/** Returns the services that call a model's targets: media if it generates images, videos or audio, chat for all others. */
function servicesOf({ output_modalities, pricing }: CatalogModel): ProviderService[] {
  const generates = (...kinds: string[]) => kinds.some((kind) => output_modalities.includes(kind));
  return [
    ...(generates('text', 'embedding', 'moderation', 'rerank') && pricing?.tokens ? (['chat'] as const) : []),
    ...(generates('image', 'video', 'speech', 'transcription') ? (['media'] as const) : []),
  ];
}

function servedBy(id: string, instances: readonly InstanceReport[]): ProviderHealth['served_by'] {
  const known = instances.flatMap(({ report }) => report?.providers.find((one) => one.id === id) ?? []);
  // A real credential at one instance costs money, whatever the other instances have.
  if (known.some(({ simulated }) => !simulated)) return 'credentials';
  if (known.length > 0) return 'simulator';
  return instances.every(({ report }) => report) ? 'nobody' : null;
}

function toTargetHealth(target: KnownTarget, instances: readonly InstanceReport[]): TargetHealth {
  const { provider, upstreamModel, service, models } = target;
  const reports = instances.flatMap((one) => (one.service === service && one.report ? [one.report] : []));
  const configuredReports = reports.filter(({ providers }) => providers.some(({ id }) => id === provider));
  const figures = configuredReports.flatMap(({ targets }) =>
    targets.filter((one) => one.provider === provider && one.upstreamModel === upstreamModel),
  );
  const health = toHealth(figures);
  // An instance that has not called it yet has no reason to call it unhealthy.
  const isUncalled = health.circuit === null && configuredReports.length > 0;
  return {
    upstream_model: upstreamModel,
    service,
    models: models.sort(),
    ...health,
    ...(isUncalled && { circuit: 'closed', circuits: { closed: configuredReports.length } }),
  };
}

function toHealth(figures: readonly ReportedFigures[]): Health {
  const states = figures.map(({ state }) => state);
  return {
    circuit: STATES_WORST_FIRST.find((state) => states.includes(state)) ?? null,
    circuits: countsOf(states),
    ...mergedFigures(figures),
  };
}

function mergedFigures(figures: readonly ReportedFigures[]) {
  const sum = (of: (one: ReportedFigures) => number) => figures.reduce((total, one) => total + of(one), 0);
  const timed = sum((one) => one.timed);
  const [last] = figures
    .flatMap(({ lastFailure }) => lastFailure ?? [])
    .sort((one, other) => other.atMs - one.atMs);
  return {
    calls: sum((one) => one.calls),
    errors: sum((one) => one.errors),
    latency:
      timed === 0
        ? null
        : {
            mean_ms: Math.round(sum((one) => one.latencySumMs) / timed),
            max_ms: Math.max(...figures.map((one) => one.latencyMaxMs)),
          },
    last_failure: last
      ? { code: last.code, status: last.status || null, at: new Date(last.atMs).toISOString() }
      : null,
  };
}

function countsOf(states: readonly CircuitState[]): Partial<Record<CircuitState, number>> {
  const counts: Partial<Record<CircuitState, number>> = {};
  for (const state of states) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}
