import { isDeepStrictEqual } from 'node:util';
import type { ExpectedReply, QueryJob } from './load-contract';
import { sendForText } from './send';
import type { Tally } from './tally';

/** Stops a run whose queries fail, which would only measure how fast they fail. */
const MAX_ERRORS = 20;

export async function runQueries(job: QueryJob, tally: Tally): Promise<void> {
  const { load, urls, headers, expected } = job;
  const endMs = performance.now() + load.durationMs;
  let sent = 0;
  const connection = async () => {
    while (performance.now() < endMs && tally.errors < MAX_ERRORS) {
      const url = urls[sent++ % urls.length] ?? '';
      const startedAtMs = performance.now();
      try {
        const reply = await sendForText({ url, headers });
        tally.recordLatency(performance.now() - startedAtMs);
        checkReply(JSON.parse(reply), expected);
        tally.recordSuccess();
      } catch (error) {
        tally.recordError(error);
      }
    }
  };
  await Promise.all(Array.from({ length: load.connections }, connection));
}

function checkReply({ data }: { data?: Record<string, unknown>[] }, { rows, each }: ExpectedReply): void {
  if (data === undefined) return;
  if (rows === undefined ? data.length === 0 : data.length !== rows) throw new Error(`${data.length} rows`);
  for (const row of data) {
    const wrong = Object.keys(each).find((name) => !isDeepStrictEqual(row[name], each[name]));
    if (wrong !== undefined) throw new Error(`row whose ${wrong} is ${row[wrong]}`);
  }
}
