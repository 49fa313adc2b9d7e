import type { CircuitState as CircuitStateProto } from '@gateway/proto/generated/gateway/common/v1/CircuitState';
import type { CredentialFigures } from '@gateway/proto/generated/gateway/common/v1/CredentialFigures';
import type { ListProvidersResponse } from '@gateway/proto/generated/gateway/common/v1/ListProvidersResponse';
import type { RateLimits } from '@gateway/proto/generated/gateway/common/v1/RateLimits';
import type { TargetFigures } from '@gateway/proto/generated/gateway/common/v1/TargetFigures';
import type { CircuitState } from './circuit-breaker';
import { type CallFigures, RECENT_MS } from './recent-calls';
import type { CredentialReport, TargetHealth, TargetReport } from './target-health';

export interface ListProvidersDeps {
  /** Returns the ids of the configured providers. */
  readonly providers: () => Iterable<string>;
  /** Whether the calls of one of them go to the simulator. */
  isSimulated(id: string): boolean;
  readonly health: TargetHealth;
}

const STATE = {
  closed: 'CIRCUIT_STATE_CLOSED',
  cooling: 'CIRCUIT_STATE_COOLING',
  suspect: 'CIRCUIT_STATE_SUSPECT',
  open: 'CIRCUIT_STATE_OPEN',
  'half-open': 'CIRCUIT_STATE_HALF_OPEN',
} as const satisfies Record<CircuitState, CircuitStateProto>;

/** Handles `ListProviders`: returns what this process knows about the providers that it calls. */
export function listProviders({ providers, isSimulated, health }: ListProvidersDeps) {
  return async (): Promise<ListProvidersResponse> => ({
    providers: [...new Set(providers())].map((id) => ({ id, simulated: isSimulated(id) })),
    targets: health.reports().map(toProtoTarget),
    credentials: health.credentialReports().map(toProtoCredential),
    windowSeconds: RECENT_MS / 1_000,
  });
}

const toProtoTarget = ({ state, coolingMs, ...target }: TargetReport) =>
  ({
    ...target,
    state: STATE[state],
    coolingMs: Math.round(coolingMs),
    ...toProtoFigures(target),
  }) satisfies TargetFigures;

const toProtoCredential = ({ provider, id, name, state, rateLimits, ...figures }: CredentialReport) =>
  ({
    provider,
    id,
    name,
    state: STATE[state],
    ...figures,
    ...toProtoFigures(figures),
    ...(rateLimits && { rateLimits: toProtoLimits(rateLimits) }),
  }) satisfies CredentialFigures;

/** With the time to each reset from now. */
const toProtoLimits = ({
  upstreamModel,
  agoMs,
  limits,
}: NonNullable<CredentialReport['rateLimits']>): RateLimits => ({
  upstreamModel,
  agoMs: Math.round(agoMs),
  limits: limits.map(({ resetMs, ...limit }) => ({
    ...limit,
    ...(resetMs !== undefined && { resetMs: Math.max(0, Math.round(resetMs - agoMs)) }),
  })),
});

function toProtoFigures({ latencySumMs, latencyMaxMs, lastFailure }: CallFigures) {
  return {
    latencySumMs: Math.round(latencySumMs),
    latencyMaxMs: Math.round(latencyMaxMs),
    ...(lastFailure && { lastFailure: { ...lastFailure, agoMs: Math.round(lastFailure.agoMs) } }),
  };
}
