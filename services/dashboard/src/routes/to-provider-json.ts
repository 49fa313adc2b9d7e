import { usdFromNano } from '@gateway/money';
import type { EndpointModel__Output } from '@gateway/proto/generated/gateway/chat/v1/EndpointModel';
import { defaultBaseUrl, isProviderKind } from '@gateway/providers';
import type { Credential, EndpointModel, ProbeResult, Provider } from '../api/providers';
import type { FoundPrices } from '../clients/price-list';
import type { ProbeResult as ProbedEndpoint } from '../clients/provider-probe';
import type {
  ConfiguredCredential,
  ConfiguredProvider,
  CredentialLimits,
  DailyCosts,
} from '../domain/configured-provider';
import type {
  CredentialHealth,
  CredentialLimitsHealth,
  Health,
  ProviderHealth,
} from '../domain/provider-health';
import { toTime } from './to-json';

const UNUSED: Health & CredentialLimitsHealth = {
  circuit: null,
  circuits: {},
  calls: 0,
  errors: 0,
  latency: null,
  last_failure: null,
  cooling_until: null,
  rate_limits: null,
};

/**
 * @param configured absent: the provider is configured by the environment of chat and media, or by nobody
 * @param costs absent: not known
 */
export function toProviderJson(
  { id, served_by, targets, credentials: used }: ProviderHealth,
  configured: ConfiguredProvider | undefined,
  costs: DailyCosts | undefined,
): Provider {
  const health = { served_by, targets };
  if (!configured) {
    const source =
      used.length > 0 || served_by === 'credentials' || served_by === 'simulator' ? 'environment' : null;
    return { id, source, ...NOT_IN_CATALOG, credentials: used.map(toUsedCredentialJson), ...health };
  }
  const { kind, name, baseUrl, headers, options, enabled, createdAtMs, credentials } = configured;
  return {
    id,
    source: 'catalog',
    kind,
    name,
    base_url: baseUrl || (isProviderKind(kind) && defaultBaseUrl(kind, options)) || null,
    headers,
    options,
    enabled,
    created_at: toTime(createdAtMs),
    credentials: credentials.map((credential) => ({
      ...toCredentialJson(credential),
      ...toCostJson(credential, costs),
      ...healthOf(used.find((one) => one.id === credential.id)),
    })),
    ...health,
  };
}

const NOT_IN_CATALOG = {
  kind: null,
  name: null,
  base_url: null,
  headers: {},
  options: {},
  enabled: true,
  created_at: null,
};

export const toCredentialJson = ({
  id,
  name,
  hint,
  weight,
  enabled,
  limits,
  createdAtMs,
}: ConfiguredCredential): Credential => ({
  id,
  name,
  hint,
  weight,
  enabled,
  ...toLimitsJson(limits),
  created_at: toTime(createdAtMs),
});

const toLimitsJson = ({
  requestsPerMinute,
  tokensPerMinute,
  concurrency,
  costPerDayNano,
}: CredentialLimits) => ({
  rpm_limit: requestsPerMinute ?? null,
  tpm_limit: tokensPerMinute ?? null,
  concurrency_limit: concurrency ?? null,
  daily_cost_limit: costPerDayNano === undefined ? null : usdFromNano(costPerDayNano),
});

const UNKNOWN_COST = { cost_today: null, limited_until: null };
const DAY_MS = 24 * 60 * 60 * 1_000;

function toCostJson({ id, limits }: ConfiguredCredential, costs: DailyCosts | undefined) {
  if (!costs) return UNKNOWN_COST;
  const costNano = costs.costsNano.get(id) ?? 0n;
  const isSpent = limits.costPerDayNano !== undefined && costNano >= limits.costPerDayNano;
  return {
    cost_today: usdFromNano(costNano),
    limited_until: isSpent ? toTime(Date.parse(costs.day) + DAY_MS) : null,
  };
}

const toUsedCredentialJson = ({
  id,
  name,
  ...health
}: CredentialHealth): Provider['credentials'][number] => ({
  id,
  name,
  hint: null,
  weight: 1,
  enabled: true,
  ...toLimitsJson({}),
  created_at: null,
  ...UNKNOWN_COST,
  ...health,
});

function healthOf(used: CredentialHealth | undefined): Health & CredentialLimitsHealth {
  if (!used) return UNUSED;
  const { id: _, name: __, ...health } = used;
  return health;
}

/** What the endpoint says itself comes before what the price list says. */
export const toEndpointModelJson = (
  { id, name, contextLength, maxOutputTokens }: EndpointModel__Output,
  { models, missing }: Pick<FoundPrices, 'models' | 'missing'>,
): Omit<EndpointModel, 'suggested_slug' | 'slugs'> => {
  const priced = models.get(id);
  return {
    upstream_model: id,
    name: name || priced?.name || null,
    input_modalities: priced?.input_modalities ?? ['text'],
    output_modalities: priced?.output_modalities ?? ['text'],
    context_length: contextLength || priced?.context_length || null,
    max_output_tokens: maxOutputTokens || priced?.max_output_tokens || null,
    capabilities: priced?.capabilities ?? [],
    pricing: priced?.pricing ?? null,
    cost: priced?.cost ?? null,
    unpriced: priced?.unpriced ?? [],
    price_problem: missing.get(id) ?? null,
  };
};

export const toProbeJson = ({
  credentialId,
  credentialName,
  latencyMs,
  failure,
  models,
}: ProbedEndpoint): ProbeResult => ({
  ok: failure === null,
  credential: { id: credentialId, name: credentialName },
  latency_ms: latencyMs,
  models: failure || !models ? null : models.length,
  failure: failure && { status: failure.status || null, message: failure.message },
});
