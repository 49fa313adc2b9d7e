import { setTimeout as sleep } from 'node:timers/promises';
import type {
  BenchReport,
  InstanceRuns,
  RecordsRuns,
  ReserveRuns,
  ScenarioRounds,
  TranslationRuns,
} from './bench-report';
import { describeEnvironment } from './environment';
import { checkMoney } from './gateway/check-money';
import { type GatewayUnderTest, startGateway } from './gateway/gateway-under-test';
import { measureInstances } from './instances/measure-instances';
import { LoadGenerator } from './load/load-generator';
import { measure, type Round } from './measure';
import { readMemory, runnerGroup } from './memory';
import type { BenchOptions } from './options';
import { startBareProxy } from './peers/start-bare-proxy';
import { oneProcess, type ProcessGroup } from './procfs/process-group';
import { measureRecords } from './records/measure-records';
import { measureReserve } from './reserve/measure-reserve';
import { HTTP_SCENARIO_NAMES, scenario } from './scenarios';
import { bareTarget, EMBEDDING_MODEL, GATEWAY_MODEL, gatewayTarget, type Target } from './targets';
import { measureTranslation, TRANSLATION_MODELS } from './translation/measure-translation';

const IDLE_MS = 10_000;
const WARM_UP_SECONDS = 3;

const NO_LOAD = {
  scenarios: [],
  reserve: undefined,
  instances: undefined,
  translation: undefined,
  records: undefined,
  loaded: [],
  money: undefined,
};

interface Run {
  readonly options: BenchOptions;
  readonly signal: AbortSignal;
  readonly progress: (message: string) => void;
}

/** Starts the gateway, runs the selected scenarios, and stops everything. */
export async function runBench(run: Run): Promise<BenchReport> {
  const { options, signal, progress } = run;
  const environment = describeEnvironment();
  progress('starting the gateway');
  const failed = new AbortController();
  const gateway = await startGateway({
    profileDir: options.profileDir,
    enginesDir: options.enginesDir,
    chatJournal: options.chatJournal,
    tls: options.tls,
    signal: AbortSignal.any([signal, failed.signal]),
    onGiveUp: (error) => failed.abort(error),
  });
  try {
    const idle = await measureIdle(run, gateway);
    if (options.idleOnly) return { environment, options, idle, ...NO_LOAD };
    return { environment, options, idle, ...(await measureLoad(run, gateway)) };
  } finally {
    progress('stopping');
    await gateway.stop();
  }
}

async function measureIdle({ signal, progress }: Run, gateway: GatewayUnderTest) {
  progress(`waiting idle for ${IDLE_MS / 1_000} s`);
  await sleep(IDLE_MS, undefined, { signal });
  const named = namedGroups(gateway);
  return readMemory([...named, runnerGroup(() => named, !gateway.redis)]);
}

const namedGroups = ({ services, simulator, postgres, redis }: GatewayUnderTest) => [
  ...services,
  simulator,
  postgres,
  ...(redis ? [redis] : []),
];

async function measureLoad(run: Run, gateway: GatewayUnderTest) {
  const proxy = await startBareProxy(gateway.stack.simulatorUrl);
  const generator = new LoadGenerator();
  const onAbort = () => generator.stop();
  run.signal.addEventListener('abort', onAbort);
  try {
    const bare = bareTarget(proxy);
    const generatorGroup = oneProcess('load generator', () => generator.pid);
    const named = [...namedGroups(gateway), ...bare.processes, generatorGroup];
    const runner = runnerGroup(() => named, !gateway.redis);
    const { postgres, redis, simulator } = gateway;
    const others = [postgres, ...(redis ? [redis] : []), runner, simulator, generatorGroup];
    const scenarios = await runScenarios(run, bare, gatewayTarget(gateway), generator, others);
    const reserve = await runReserve(run, gateway, generator, others);
    const instances = await runInstances(run, gateway, generator, [generatorGroup]);
    const translation = await runTranslation(run, gateway, generator, others);
    const records = await runRecords(run, gateway, generator, others);
    run.progress('checking the money');
    const money = await checkMoney(gateway, [GATEWAY_MODEL, EMBEDDING_MODEL, ...TRANSLATION_MODELS]);
    return {
      scenarios,
      reserve,
      instances,
      translation,
      records,
      money,
      loaded: readMemory([...named, runner]),
    };
  } finally {
    run.signal.removeEventListener('abort', onAbort);
    generator.stop();
    proxy.stop();
  }
}

/** Alternates between the targets, so that a change in the machine's performance affects both. */
async function runScenarios(
  { options, signal, progress }: Run,
  bare: Target,
  gateway: Target,
  generator: LoadGenerator,
  others: readonly ProcessGroup[],
): Promise<ScenarioRounds[]> {
  const done: ScenarioRounds[] = [];
  for (const name of HTTP_SCENARIO_NAMES.filter((one) => options.scenarios.includes(one))) {
    const measured = scenario(name, options.seconds, options.concurrency);
    const warmUp = scenario(name, WARM_UP_SECONDS, options.concurrency);
    const rounds: { bare: Round; gateway: Round }[] = [];
    const measureTarget = (target: Target) =>
      measure(target.job(measured), generator, [...target.processes, ...others]);
    progress(`${measured.title}: warming up`);
    for (const target of [bare, gateway]) await generator.run(target.job(warmUp));
    for (let round = 1; round <= options.rounds; round++) {
      signal.throwIfAborted();
      progress(`${measured.title}: round ${round} of ${options.rounds}`);
      rounds.push({
        bare: await measureTarget(bare),
        gateway: await measureTarget(gateway),
      });
    }
    done.push({ name, title: measured.title, stream: measured.stream, rounds });
  }
  return done;
}

async function runReserve(
  { options, signal, progress }: Run,
  gateway: GatewayUnderTest,
  generator: LoadGenerator,
  others: readonly ProcessGroup[],
): Promise<ReserveRuns | undefined> {
  if (!options.scenarios.includes('reserve')) return undefined;
  const processes = [...gateway.services, ...others];
  return measureReserve({ gateway, generator, processes, seconds: options.seconds, signal, progress });
}

async function runInstances(
  run: Run,
  gateway: GatewayUnderTest,
  generator: LoadGenerator,
  others: readonly ProcessGroup[],
): Promise<InstanceRuns | undefined> {
  if (!run.options.scenarios.includes('instances')) return undefined;
  return measureInstances({ ...run, gateway, generator, others });
}

async function runTranslation(
  { options, signal, progress }: Run,
  gateway: GatewayUnderTest,
  generator: LoadGenerator,
  others: readonly ProcessGroup[],
): Promise<TranslationRuns | undefined> {
  if (!options.scenarios.includes('translate')) return undefined;
  const processes = [...gateway.services, ...others];
  const { seconds, rounds, concurrency } = options;
  return measureTranslation({
    gateway,
    generator,
    processes,
    seconds,
    rounds,
    concurrency,
    signal,
    progress,
  });
}

async function runRecords(
  { options, signal, progress }: Run,
  gateway: GatewayUnderTest,
  generator: LoadGenerator,
  others: readonly ProcessGroup[],
): Promise<RecordsRuns | undefined> {
  if (!options.scenarios.includes('records')) return undefined;
  const processes = [...gateway.services, ...others];
  return measureRecords({ gateway, generator, processes, seconds: options.seconds, signal, progress });
}
