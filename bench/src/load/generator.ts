import { ReserveRunner } from '../reserve/reserve-runner';
import type { GeneratorMessage, LoadJob } from './load-contract';
import { runCalls } from './run-calls';
import { runQueries } from './run-queries';
import { runStreams } from './run-streams';
import { Tally } from './tally';

// Runs in a separate process, so that its CPU counts for neither target and the runner does not delay it.
process.on('message', (job: LoadJob) => {
  void run(job).then(
    (message) => process.send?.(message),
    (error) => process.send?.({ failure: String(error) } satisfies GeneratorMessage),
  );
});
process.on('disconnect', () => process.exit());
process.on('SIGINT', () => {});

const reserves = new ReserveRunner();

async function run(job: LoadJob): Promise<GeneratorMessage> {
  const tally = new Tally();
  if ('address' in job) {
    await reserves.run(job, tally);
  } else if ('urls' in job) {
    await runQueries(job, tally);
  } else if (job.load.kind === 'calls') {
    await runCalls(job, job.load, tally);
  } else {
    await runStreams(job, job.load, tally);
  }
  return { result: tally.result() };
}
