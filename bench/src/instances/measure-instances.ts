import type { InstanceRuns } from '../bench-report';
import { checkMoney } from '../gateway/check-money';
import { type GatewayUnderTest, startGateway } from '../gateway/gateway-under-test';
import type { LoadGenerator } from '../load/load-generator';
import { measure, type Round } from '../measure';
import type { BenchOptions } from '../options';
import type { ProcessGroup } from '../procfs/process-group';
import { scenario } from '../scenarios';
import { GATEWAY_MODEL, gatewayTarget } from '../targets';

/** Of edge and of chat. */
const INSTANCES = 4;
const WARM_UP_SECONDS = 15;

interface InstanceMeasurement {
  /** With one process of each service. */
  readonly gateway: GatewayUnderTest;
  readonly generator: LoadGenerator;
  /** Processes that both gateways use. */
  readonly others: readonly ProcessGroup[];
  readonly options: BenchOptions;
  readonly signal: AbortSignal;
  readonly progress: (message: string) => void;
}

/** Alternates between the gateway and a second one with several edges and chats, each with its own engines. */
export async function measureInstances(run: InstanceMeasurement): Promise<InstanceRuns> {
  const { options, signal, progress } = run;
  progress(`starting a gateway with ${INSTANCES} edges and chats`);
  const failed = new AbortController();
  const scaled = await startGateway({
    profileDir: undefined,
    enginesDir: undefined,
    chatJournal: options.chatJournal,
    tls: options.tls,
    instances: { edge: INSTANCES, chat: INSTANCES },
    signal: AbortSignal.any([signal, failed.signal]),
    onGiveUp: (error) => failed.abort(error),
  });
  try {
    const calls = scenario('plain', options.seconds, options.concurrency);
    const warmUp = scenario('plain', WARM_UP_SECONDS * INSTANCES, options.concurrency);
    const gateways = { one: run.gateway, several: scaled };
    progress(`${INSTANCES} instances: warming up`);
    for (const gateway of Object.values(gateways)) {
      await run.generator.run(gatewayTarget(gateway).job(warmUp));
    }
    const rounds: { one: Round; several: Round }[] = [];
    const measureGateway = (gateway: GatewayUnderTest) => {
      const groups = [...gateway.services, gateway.simulator, gateway.postgres, ...run.others];
      return measure(gatewayTarget(gateway).job(calls), run.generator, groups);
    };
    for (let round = 1; round <= options.rounds; round++) {
      signal.throwIfAborted();
      progress(`${INSTANCES} instances: round ${round} of ${options.rounds}`);
      const one = await measureGateway(gateways.one);
      rounds.push({ one, several: await measureGateway(gateways.several) });
    }
    return { instances: INSTANCES, rounds, money: await checkMoney(scaled, [GATEWAY_MODEL]) };
  } finally {
    await scaled.stop();
  }
}
