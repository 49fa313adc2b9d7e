import type { CircuitState__Output } from '@gateway/proto/generated/gateway/common/v1/CircuitState';
import type { ListProvidersResponse__Output } from '@gateway/proto/generated/gateway/common/v1/ListProvidersResponse';
import type { TargetFigures__Output } from '@gateway/proto/generated/gateway/common/v1/TargetFigures';
import type {
  CircuitState,
  InstanceReport,
  ProviderReport,
  ProviderService,
  TargetReport,
} from '../domain/provider-health';
import type { Caller } from './billing';

export interface ProviderInstance {
  readonly service: ProviderService;
  readonly address: string;
  ask(settings: {
    timeoutMs: number;
    requestId: string;
    signal: AbortSignal;
  }): Promise<ListProvidersResponse__Output | undefined>;
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
  readonly #instances: readonly ProviderInstance[];

  constructor(instances: readonly ProviderInstance[]) {
    this.#instances = instances;
  }

  /** Returns what each process knows, or that it does not answer. */
  reports({ requestId, signal }: Caller): Promise<InstanceReport[]> {
    const settings = { timeoutMs: TIMEOUT_MS, requestId, signal };
    return Promise.all(
      this.#instances.map(async ({ service, address, ask }) => {
        const answer = await ask(settings).catch(() => undefined);
        return { service, address, report: answer && fromProtoReport(answer, Date.now()) };
      }),
    );
  }
}

const fromProtoReport = (answer: ListProvidersResponse__Output, nowMs: number): ProviderReport => ({
  windowSeconds: answer.windowSeconds,
  providers: answer.providers,
  targets: answer.targets.map((target) => fromProtoTarget(target, nowMs)),
});

function fromProtoTarget(target: TargetFigures__Output, nowMs: number): TargetReport {
  const { state, latencySumMs, lastFailure, ...figures } = target;
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
