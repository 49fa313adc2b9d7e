import type { ReserveRuns } from '../bench-report';
import type { GatewayUnderTest } from '../gateway/gateway-under-test';
import type { ReserveOrder } from '../load/load-contract';
import type { LoadGenerator } from '../load/load-generator';
import { measure, type Round } from '../measure';
import type { ProcessGroup } from '../procfs/process-group';

const CALLERS = 64;
const RUNS = 5;
const MAX_RUN_SECONDS = 3;
const WARM_UP_MS = 1_500;
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

/** Billing's `Reserve` alone, by callers that all hold money of one account. The keys take turns. */
export async function measureReserve(run: ReserveMeasurement): Promise<ReserveRuns> {
  const { gateway, generator, processes, signal, progress } = run;
  const { stack, api, account } = gateway;
  const order = async ({ title, rated, settings }: (typeof VARIANTS)[number]) => {
    const { id: keyId } = await api.createKey(account.token, title, settings);
    return (durationMs: number): ReserveOrder => ({
      load: { kind: 'reserves', callers: CALLERS, durationMs },
      address: stack.grpcAddress('billing'),
      serviceSecret: stack.secrets.serviceSecret,
      accountId: account.id,
      keyId,
      rated,
    });
  };
  const variants = await Promise.all(
    VARIANTS.map(async (variant) => ({ ...variant, runs: [] as Round[], order: await order(variant) })),
  );
  progress('Reserve: warming up');
  for (const variant of variants) await generator.run(variant.order(WARM_UP_MS));
  const runSeconds = Math.min(run.seconds, MAX_RUN_SECONDS);
  for (let number = 1; number <= RUNS; number++) {
    progress(`Reserve: run ${number} of ${RUNS}`);
    for (const { order, runs } of variants) {
      signal.throwIfAborted();
      runs.push(await measure(order(runSeconds * 1_000), generator, processes));
    }
  }
  return { callers: CALLERS, runSeconds, keys: variants.map(({ title, runs }) => ({ title, runs })) };
}
