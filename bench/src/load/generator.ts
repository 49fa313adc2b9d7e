import { ReserveRunner } from '../reserve/reserve-runner';
import type { AnyOrder, GeneratorMessage } from './load-contract';
import { runCalls } from './run-calls';
import { runQuestions } from './run-questions';
import { runStreams } from './run-streams';
import { Tally } from './tally';

// A process of its own: its work counts for neither target, and its pauses are not the runner's.
process.on('message', (order: AnyOrder) => {
  void run(order).then(
    (message) => process.send?.(message),
    (error) => process.send?.({ failure: String(error) } satisfies GeneratorMessage),
  );
});
process.on('disconnect', () => process.exit());
process.on('SIGINT', () => {});

const reserves = new ReserveRunner();

async function run(order: AnyOrder): Promise<GeneratorMessage> {
  const tally = new Tally();
  if ('address' in order) {
    await reserves.run(order, tally);
  } else if ('urls' in order) {
    await runQuestions(order, tally);
  } else if (order.load.kind === 'calls') {
    await runCalls(order, order.load, tally);
  } else {
    await runStreams(order, order.load, tally);
  }
  return { result: tally.result() };
}
