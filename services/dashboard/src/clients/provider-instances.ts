import type { CircuitState__Output } from '@gateway/proto/generated/gateway/common/v1/CircuitState';
import type { ListProvidersResponse__Output } from '@gateway/proto/generated/gateway/common/v1/ListProvidersResponse';
import type { RateLimits__Output } from '@gateway/proto/generated/gateway/common/v1/RateLimits';
import type { TargetFigures__Output } from '@gateway/proto/generated/gateway/common/v1/TargetFigures';
import { type CallSettings, callUnary, type PeerInstances, type UnaryMethod } from '@gateway/rpc';
import type { Client } from '@grpc/grpc-js';
import type {
  CircuitState,
  InstanceReport,
  ProviderReport,
  ProviderService,
  ReportedLimits,
} from '../domain/provider-health';
import type { Caller } from './billing';

/** Chat and media: each lists its providers. */
export interface ProviderClient extends Client {
  readonly ListProviders: UnaryMethod<object, ListProvidersResponse__Output>;
}

interface ProviderInstance {
  readonly service: ProviderService;
  readonly address: string;
  listProviders(settings: CallSettings): Promise<ListProvidersResponse__Output>;
}

/** How long operators wait for an unreachable instance. */
const TIMEOUT_MS = 2_000;

const STATE: Readonly<Record<CircuitState__Output, CircuitState>> = {
  CIRCUIT_STATE_CLOSED: 'closed',
  CIRCUIT_STATE_COOLING: 'cooling',
  CIRCUIT_STATE_SUSPECT: 'suspect',
  CIRCUIT_STATE_OPEN: 'open',
  CIRCUIT_STATE_HALF_OPEN: 'half-open',
  // A state that this version does not know is not assumed to be healthy.
  CIRCUIT_STATE_UNSPECIFIED: 'suspect',
};

/** The processes that call providers. */
export class ProviderInstances {
  readonly #instances = new Map<ProviderClient, ProviderInstance>();
  readonly #stops: (() => void)[] = [];

  add(service: ProviderService, instances: PeerInstances<ProviderClient>): void {
    const stop = instances.follow((client, { address }) => {
      const listProviders = (call: CallSettings) => callUnary(client, client.ListProviders, {}, call);
      this.#instances.set(client, { service, address, listProviders });
      return () => {
        this.#instances.delete(client);
        client.close();
      };
    });
    this.#stops.push(stop);
  }

  close(): void {
    for (const stop of this.#stops) stop();
    for (const client of this.#instances.keys()) client.close();
  }

  /** Returns the report of each process, or that it does not respond. */
  reports({ requestId, signal }: Caller): Promise<InstanceReport[]> {
    const settings = { timeoutMs: TIMEOUT_MS, requestId, signal };
    return Promise.all(
      [...this.#instances.values()].map(async ({ service, address, listProviders }) => {
        const response = await listProviders(settings).catch(() => undefined);
        return { service, address, report: response && fromProtoReport(response, Date.now()) };
      }),
    );
  }
}

const fromProtoReport = (response: ListProvidersResponse__Output, nowMs: number): ProviderReport => ({
  windowSeconds: response.windowSeconds,
  providers: response.providers,
  targets: response.targets.map(({ coolingMs, ...target }) => ({
    ...fromProtoFigures(target, nowMs),
    ...(coolingMs > 0 && { coolingUntilMs: nowMs + coolingMs }),
  })),
  credentials: response.credentials.map(({ rateLimits, ...credential }) => ({
    ...fromProtoFigures(credential, nowMs),
    ...(rateLimits && { rateLimits: fromProtoLimits(rateLimits, nowMs) }),
  })),
});

const fromProtoLimits = (
  { upstreamModel, agoMs, limits }: RateLimits__Output,
  nowMs: number,
): ReportedLimits => ({
  upstreamModel,
  atMs: nowMs - Number(agoMs),
  limits: limits.map(({ name, remaining, limit, resetMs }) => ({
    name,
    remaining: Number(remaining),
    ...(limit !== undefined && { limit: Number(limit) }),
    ...(resetMs !== undefined && { resetsAtMs: nowMs + Number(resetMs) }),
  })),
});

type ProtoFigures = Pick<TargetFigures__Output, 'state' | 'latencySumMs' | 'lastFailure'>;

function fromProtoFigures<Figures extends ProtoFigures>(
  { state, latencySumMs, lastFailure, ...figures }: Figures,
  nowMs: number,
) {
  return {
    ...figures,
    state: STATE[state] ?? 'suspect',
    latencySumMs: Number(latencySumMs),
    ...(lastFailure && {
      lastFailure: {
        code: lastFailure.code,
        status: lastFailure.status,
        atMs: nowMs - Number(lastFailure.agoMs),
      },
    }),
  };
}
