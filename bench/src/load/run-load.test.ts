import { once } from 'node:events';
import http, { type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { CallerFormat } from './caller-format';
import type { CallsLoad, ExpectedReply, HttpJob, LoadResult, LoadShape, StreamsLoad } from './load-contract';
import { runCalls } from './run-calls';
import { runQueries } from './run-queries';
import { runStreams } from './run-streams';
import { Tally } from './tally';

const CALLS: CallsLoad = { kind: 'calls', connections: 2, durationMs: 20, replyText: 'yes' };
const STREAMS: StreamsLoad = {
  kind: 'streams',
  streams: 3,
  spacingMs: 0,
  chunks: 2,
  chunkDelayMs: 0,
  framing: { before: 1, after: 2 },
};
const EVENTS = ['role', 'one', 'two', 'stop', '[DONE]'].map((data) => `data: ${data}\n\n`);
const completion = (content: string) =>
  JSON.stringify({ choices: [{ message: { content } }], usage: { completion_tokens: 1 } });

const servers: http.Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

/** Starts a server for the duration of the test and returns its URL. */
async function listen(listener: RequestListener): Promise<string> {
  const server = http.createServer(listener).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function run(
  load: LoadShape,
  listener: RequestListener,
  format: CallerFormat = 'openai',
): Promise<LoadResult> {
  const url = `${await listen(listener)}/`;
  const job: HttpJob = { load, format, url, headers: {}, body: '{}' };
  const tally = new Tally();
  if (load.kind === 'calls') await runCalls(job, load, tally);
  else await runStreams(job, load, tally);
  return tally.result();
}

test('counts calls with the expected reply', async () => {
  const { calls, errors, p50Ms } = await run(CALLS, (_, response) => response.end(completion('yes')));
  expect(calls).toBeGreaterThanOrEqual(2);
  expect(errors).toBe(0);
  expect(p50Ms).toBeGreaterThan(0);
});

test('starts calls at the given pace for the given duration', async () => {
  const paced = { ...CALLS, durationMs: 50, everyMs: 10 };
  const { calls, elapsedMs } = await run(paced, (_, response) => response.end(completion('yes')));
  expect(calls).toBe(10);
  expect(elapsedMs).toBeGreaterThan(39);
});

test('makes late calls too when a pace is given', async () => {
  const paced = { ...CALLS, connections: 1, durationMs: 50, everyMs: 10 };
  const slow = await run(paced, (_, response) => setTimeout(() => response.end(completion('yes')), 30));
  expect(slow.calls).toBe(5);
  expect(slow.elapsedMs).toBeGreaterThan(100);
});

test.each([
  ['another status', (response: http.ServerResponse) => response.writeHead(503).end('busy'), /503: busy/],
  ['another text', (response: http.ServerResponse) => response.end(completion('no')), /wrong reply/],
  ['no JSON', (response: http.ServerResponse) => response.end('?'), /JSON/],
  ['a broken connection', (response: http.ServerResponse) => response.destroy(), /socket hang up/],
])('counts %s as an error and stops after 100 errors', async (_, answer, sample) => {
  const { calls, errors, errorSamples } = await run({ ...CALLS, durationMs: 60_000 }, (_request, response) =>
    answer(response),
  );
  expect(calls).toBe(0);
  expect(errors).toBeGreaterThanOrEqual(100);
  expect(errorSamples[0]).toMatch(sample);
});

test('counts the text chunks of complete streams', async () => {
  const result = await run(STREAMS, (_, response) => response.end(EVENTS.join('')));
  expect(result).toMatchObject({ calls: 3, chunks: 6, errors: 0 });
});

test.each([
  ['a lost chunk', EVENTS.toSpliced(1, 1), /4 events in a stream instead of 5/],
  ['a doubled chunk', [...EVENTS.slice(0, 2), ...EVENTS.slice(1)], /6 events/],
  ['a missing end', EVENTS.slice(0, -1), /without its last event/],
])('counts %s in a stream as an error', async (_, events, sample) => {
  const result = await run(STREAMS, (_request, response) => response.end(events.join('')));
  expect(result).toMatchObject({ calls: 0, chunks: 0, errors: 3 });
  expect(result.errorSamples[0]).toMatch(sample);
});

test("checks text and usage of Anthropic's replies", async () => {
  const reply = (outputTokens: number) =>
    JSON.stringify({ content: [{ type: 'text', text: 'yes' }], usage: { output_tokens: outputTokens } });
  const good = await run(CALLS, (_, response) => response.end(reply(1)), 'anthropic');
  expect(good.calls).toBeGreaterThanOrEqual(2);
  const free = await run(CALLS, (_, response) => response.end(reply(0)), 'anthropic');
  expect(free).toMatchObject({
    calls: 0,
    errorSamples: expect.arrayContaining([expect.stringMatching(/usage/)]),
  });
});

test("expects the end event of Anthropic's streams", async () => {
  const end = 'event: message_stop\ndata: {"type":"message_stop"}\n\n';
  const whole = [...EVENTS.slice(0, -1), end].join('');
  expect(await run(STREAMS, (_, response) => response.end(whole), 'anthropic')).toMatchObject({ calls: 3 });
  expect(await run(STREAMS, (_, response) => response.end(EVENTS.join('')), 'anthropic')).toMatchObject({
    calls: 0,
  });
});

describe('runQueries', () => {
  /** Runs queries against a server that sends these replies in turn and then breaks connections, which ends the run. */
  const ask = async (answers: unknown[], expected: ExpectedReply) => {
    const urls: string[] = [];
    const origin = await listen((request, response) => {
      const answer = answers[urls.length];
      urls.push(`${request.method} ${request.url} ${request.headers.authorization}`);
      if (answer === undefined) response.destroy();
      else response.end(JSON.stringify(answer));
    });
    const tally = new Tally();
    await runQueries(
      {
        load: { kind: 'queries', connections: 1, durationMs: 60_000 },
        urls: [`${origin}/a`, `${origin}/b`],
        headers: { authorization: 'Bearer me' },
        expected,
      },
      tally,
    );
    return { ...tally.result(), urls };
  };

  test('uses the URLs in turn and checks the replies', async () => {
    const rows = { data: [{ model: 'm' }, { model: 'm' }] };
    const { calls, errorSamples, urls, p95Ms } = await ask([rows, rows], { rows: 2, each: { model: 'm' } });
    expect({ calls, p95: p95Ms > 0 }).toEqual({ calls: 2, p95: true });
    expect(errorSamples[0]).toMatch(/socket hang up/);
    expect(urls.slice(0, 3)).toEqual(['GET /a Bearer me', 'GET /b Bearer me', 'GET /a Bearer me']);
    expect(await ask([rows], { rows: undefined, each: {} })).toMatchObject({ calls: 1 });
    expect(await ask([{ balance: 1 }], { rows: 1, each: {} })).toMatchObject({ calls: 1 });
  });

  test.each([
    ['too few rows', { data: [] }, { rows: undefined, each: {} }, /0 rows/],
    ['too many rows', { data: [{}] }, { rows: 0, each: {} }, /1 rows/],
    ['rows of another model', { data: [{ model: 'n' }] }, { rows: 1, each: { model: 'm' } }, /model is n/],
  ])('counts %s as an error and stops after 20 errors', async (_, answer, expected, sample) => {
    const { calls, errors, errorSamples, urls } = await ask(Array(100).fill(answer), expected);
    expect({ calls, errors, asked: urls.length }).toEqual({ calls: 0, errors: 20, asked: 20 });
    expect(errorSamples[0]).toMatch(sample);
  });
});
