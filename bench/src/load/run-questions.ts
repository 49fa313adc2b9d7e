import { isDeepStrictEqual } from 'node:util';
import type { ExpectedAnswer, QuestionsOrder } from './load-contract';
import { sendForText } from './send';
import type { Tally } from './tally';

/** Beyond that the dashboard is broken, and going on would only measure how fast it refuses. */
const MAX_ERRORS = 20;

export async function runQuestions(order: QuestionsOrder, tally: Tally): Promise<void> {
  const { load, urls, headers, expected } = order;
  const endMs = performance.now() + load.durationMs;
  let asked = 0;
  const connection = async () => {
    while (performance.now() < endMs && tally.errors < MAX_ERRORS) {
      const url = urls[asked++ % urls.length] ?? '';
      const startedAtMs = performance.now();
      try {
        const answer = await sendForText({ url, headers });
        tally.took(performance.now() - startedAtMs);
        checkAnswer(JSON.parse(answer), expected);
        tally.answered();
      } catch (error) {
        tally.failed(error);
      }
    }
  };
  await Promise.all(Array.from({ length: load.connections }, connection));
}

function checkAnswer({ data }: { data?: Record<string, unknown>[] }, { rows, each }: ExpectedAnswer): void {
  if (data === undefined) return;
  if (rows === undefined ? data.length === 0 : data.length !== rows) throw new Error(`${data.length} rows`);
  for (const row of data) {
    const wrong = Object.keys(each).find((name) => !isDeepStrictEqual(row[name], each[name]));
    if (wrong !== undefined) throw new Error(`a row whose ${wrong} is ${row[wrong]}`);
  }
}
