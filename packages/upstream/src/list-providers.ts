import type { CircuitState as CircuitStateProto } from '@gateway/proto/generated/gateway/common/v1/CircuitState';
import type { ListProvidersResponse } from '@gateway/proto/generated/gateway/common/v1/ListProvidersResponse';
import type { TargetFigures } from '@gateway/proto/generated/gateway/common/v1/TargetFigures';
import type { CircuitState } from './circuit-breaker';
import { RECENT_MS } from './recent-calls';
import type { TargetHealth, TargetReport } from './target-health';

export interface ListProvidersDeps {
  /** Ids of the configured providers. */
  readonly providers: Iterable<string>;
  /** Those of them whose calls go to the simulator. */
  readonly simulated: ReadonlySet<string>;
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
export function listProviders({ providers, simulated, health }: ListProvidersDeps) {
  const accounts = [...new Set(providers)].map((id) => ({ id, simulated: simulated.has(id) }));
  return async (): Promise<ListProvidersResponse> => ({
    providers: accounts,
    targets: health.reports().map(toProtoTarget),
    windowSeconds: RECENT_MS / 1_000,
  });
}

function toProtoTarget({ state, lastFailure, latencySumMs, latencyMaxMs, ...target }: TargetReport) {
  return {
    ...target,
    state: STATE[state],
    latencySumMs: Math.round(latencySumMs),
    latencyMaxMs: Math.round(latencyMaxMs),
    ...(lastFailure && { lastFailure: { ...lastFailure, agoMs: Math.round(lastFailure.agoMs) } }),
  } satisfies TargetFigures;
}
