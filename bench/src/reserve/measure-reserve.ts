import type { ReserveRuns } from '../bench-report';
import type { GatewayUnderTest } from '../gateway/gateway-under-test';
import type { ReserveJob, ReservesLoad } from '../load/load-contract';
import type { LoadGenerator } from '../load/load-generator';
import { measure, type Round } from '../measure';
import type { ProcessGroup } from '../procfs/process-group';
import { BillingCaller } from './billing-caller';

const CALLERS = 64;
const RUNS = 5;
const MAX_RUN_SECONDS = 3;
/** Short, because holds that are not released accumulate. */
const UNRELEASED_SECONDS = 1;
/** Time for releasing the holds that a run has left open. */
const RELEASE_MS = 10_000;
/** Long enough for V8 to compile billing's code, which takes some hundreds of transactions, as in a long-running service. */
const WARM_UP = { unreleasedMs: 3_000, releasedMs: 1_500 };
/** Limits that are counted but never reached. */
const LIMITS = { rpm_limit: 1_000_000_000, tpm_limit: 1_000_000_000 };
const VARIANTS = [
  { title: 'key without limits', hasLimits: false, settings: {} },
  { title: 'key with RPM and TPM', hasLimits: true, settings: LIMITS },
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

/** Measures billing's `Reserve` with callers of one account. Keys without and with limits alternate. */
export async function measureReserve(run: ReserveMeasurement): Promise<ReserveRuns> {
  const { gateway, generator, processes, signal, progress } = run;
  const { stack, api, account } = gateway;
  const job = async ({ title, hasLimits, settings }: (typeof VARIANTS)[number]) => {
    const { id: keyId, key } = await api.createKey(account.token, title, settings);
    const address = stack.grpcAddress('billing');
    const trust = { chat: stack.trustSettings('chat'), edge: stack.trustSettings('edge') };
    const valueId = await BillingCaller.valueIdOf(address, trust.edge, key);
    return (load: ReserveJob['load']): ReserveJob => ({
      load,
      address,
      trust: trust.chat,
      accountId: account.id,
      keyId,
      valueId,
      hasLimits,
    });
  };
  const variants = await Promise.all(
    VARIANTS.map(async (variant) => ({
      title: variant.title,
      runs: [] as Round[],
      unreleased: [] as Round[],
      job: await job(variant),
    })),
  );
  progress('Reserve: warming up');
  for (const { job } of variants) {
    await generator.run(job(reserves(WARM_UP.unreleasedMs, false)));
    await generator.run(job({ kind: 'releases', durationMs: RELEASE_MS }));
    await generator.run(job(reserves(WARM_UP.releasedMs)));
  }
  const runSeconds = Math.min(run.seconds, MAX_RUN_SECONDS);
  for (let number = 1; number <= RUNS; number++) {
    progress(`Reserve: run ${number} of ${RUNS}`);
    for (const { job, runs, unreleased } of variants) {
      signal.throwIfAborted();
      runs.push(await measure(job(reserves(runSeconds * 1_000)), generator, processes));
      const load = reserves(UNRELEASED_SECONDS * 1_000, false);
      unreleased.push(await measure(job(load), generator, processes));
      await generator.run(job({ kind: 'releases', durationMs: RELEASE_MS }));
    }
  }
  return {
    callers: CALLERS,
    runSeconds,
    unreleasedSeconds: UNRELEASED_SECONDS,
    keys: variants.map(({ job, ...key }) => key),
  };
}
