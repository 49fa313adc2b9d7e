import type { ReserveRuns } from '../bench-report';
import type { GatewayUnderTest } from '../gateway/gateway-under-test';
import type { ReserveOrder, ReservesLoad } from '../load/load-contract';
import type { LoadGenerator } from '../load/load-generator';
import { measure, type Round } from '../measure';
import type { ProcessGroup } from '../procfs/process-group';
import { BillingCaller } from './billing-caller';

const CALLERS = 64;
const RUNS = 5;
const MAX_RUN_SECONDS = 3;
/** Of callers that do not wait for releases: their holds add up. */
const UNRELEASED_SECONDS = 1;
/** For what a run has left. */
const RELEASE_MS = 10_000;
/** A service has run for long, as a rule: its code is compiled, which takes some hundreds of transactions. */
const WARM_UP = { unreleasedMs: 3_000, releasedMs: 1_500 };
/** Far above what can be asked for, so that they are counted and never refuse. */
const LIMITS = { rpm_limit: 1_000_000_000, tpm_limit: 1_000_000_000 };
const VARIANTS = [
  { title: 'key without limits', rated: false, settings: {} },
  { title: 'key with RPM and TPM', rated: true, settings: LIMITS },
];

export interface ReserveMeasurement {
  readonly gateway: GatewayUnderTest;
  readonly generator: LoadGenerator;
  readonly processes: readonly ProcessGroup[];
  readonly seconds: number;
  readonly signal: AbortSignal;
  readonly progress: (message: string) => void;
}

const reserves = (durationMs: number, release = true): ReservesLoad => ({
  kind: 'reserves',
  callers: CALLERS,
  durationMs,
  release,
});

/** Billing's `Reserve`, by callers that all hold money of one account. The keys take turns. */
export async function measureReserve(run: ReserveMeasurement): Promise<ReserveRuns> {
  const { gateway, generator, processes, signal, progress } = run;
  const { stack, api, account } = gateway;
  const order = async ({ title, rated, settings }: (typeof VARIANTS)[number]) => {
    const { id: keyId, key } = await api.createKey(account.token, title, settings);
    const address = stack.grpcAddress('billing');
    const { serviceSecret } = stack.secrets;
    const valueId = await BillingCaller.valueIdOf(address, serviceSecret, key);
    return (load: ReserveOrder['load']): ReserveOrder => ({
      load,
      address,
      serviceSecret,
      accountId: account.id,
      keyId,
      valueId,
      rated,
    });
  };
  const variants = await Promise.all(
    VARIANTS.map(async (variant) => ({
      title: variant.title,
      runs: [] as Round[],
      unreleased: [] as Round[],
      order: await order(variant),
    })),
  );
  progress('Reserve: warming up');
  for (const { order } of variants) {
    await generator.run(order(reserves(WARM_UP.unreleasedMs, false)));
    await generator.run(order({ kind: 'releases', durationMs: RELEASE_MS }));
    await generator.run(order(reserves(WARM_UP.releasedMs)));
  }
  const runSeconds = Math.min(run.seconds, MAX_RUN_SECONDS);
  for (let number = 1; number <= RUNS; number++) {
    progress(`Reserve: run ${number} of ${RUNS}`);
    for (const { order, runs, unreleased } of variants) {
      signal.throwIfAborted();
      runs.push(await measure(order(reserves(runSeconds * 1_000)), generator, processes));
      const load = reserves(UNRELEASED_SECONDS * 1_000, false);
      unreleased.push(await measure(order(load), generator, processes));
      await generator.run(order({ kind: 'releases', durationMs: RELEASE_MS }));
    }
  }
  return {
    callers: CALLERS,
    runSeconds,
    unreleasedSeconds: UNRELEASED_SECONDS,
    keys: variants.map(({ order, ...key }) => key),
  };
}
