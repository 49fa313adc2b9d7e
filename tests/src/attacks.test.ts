import {
  compressedWavFile,
  flacFile,
  m4aFile,
  mp3File,
  oggFile,
  until,
  wav,
  webmFile,
} from '@gateway/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { costNano, readLedger } from './support/ledger';
import { queryDatabase } from './support/query-database';
import { type Customer, type System, startSystem } from './support/system';

// An attacker pays at least what the provider charges, by the simulator's meter, or is limited within the hour.

jest.setTimeout(120_000);

const LOSS_LIMIT_USD = 0.01;
const STORED_RESPONSES = 2;

let system: System;
let attacker: Customer;

beforeAll(async () => {
  system = await startSystem({
    settings: {
      billing: { ABANDONED_COST_LIMIT_USD: String(LOSS_LIMIT_USD) },
      storage: { RESPONSE_MAX_ACCOUNT_COUNT: String(STORED_RESPONSES) },
    },
  });
}, 60_000);
beforeEach(async () => {
  attacker = await system.provision();
});
afterAll(async () => {
  if (system) expect(await system.drift()).toBe(0);
  await system?.stop();
}, 30_000);

interface Answer {
  readonly status: number;
  readonly code: string | undefined;
  readonly requestId: string;
  readonly body: { readonly id?: string; readonly error?: { readonly detail?: string } };
}

async function send(
  path: string,
  body: object,
  { apiKey = attacker.apiKey, method = 'POST' } = {},
): Promise<Answer> {
  const isForm = body instanceof FormData;
  const response = await fetch(`${system.stack.apiUrl}/v1/${path}`, {
    method,
    headers: {
      authorization: `Bearer ${apiKey}`,
      ...(!isForm && method === 'POST' && { 'content-type': 'application/json' }),
    },
    ...(method === 'POST' && { body: isForm ? body : JSON.stringify(body) }),
  });
  const parsed = (await response.json()) as Answer['body'] & { error?: { code?: string } };
  const requestId = response.headers.get('x-request-id') ?? '';
  return { status: response.status, code: parsed.error?.code, requestId, body: parsed };
}

const directed = (directive: object) => `[[sim ${JSON.stringify(directive)}]]`;
const chat = (content: string, more: object = {}) => ({
  model: 'sim/chat',
  messages: [{ role: 'user', content }],
  ...more,
});

async function losses(): Promise<{ reason: string; nano: bigint }[]> {
  const rows = await queryDatabase<{ reason: string; amount_nano: string }>(
    system,
    'SELECT reason, amount_nano FROM billing.operator_losses WHERE account_id = $1',
    [attacker.id],
  );
  return rows.map(({ reason, amount_nano }) => ({ reason, nano: BigInt(amount_nano) }));
}

/** Repeats an attack until the account is limited. Returns how often it succeeded. */
async function repeatUntilLimited(attack: () => Promise<unknown>): Promise<number> {
  for (let times = 1; times <= 20; times++) {
    await attack();
    await system.settled(attacker);
    const probe = await send('chat/completions', chat('hi', { max_tokens: 16 }));
    if (probe.code === 'rate_limited') return times;
    expect(probe.status).toBe(200);
  }
  throw new Error('the account was never limited');
}

describe('a file whose header claims a second costs as much as its frames', () => {
  const SECONDS = 120;
  test.each<[string, Buffer]>([
    ['speech.wav', wav(SECONDS, 16_000)],
    ['adpcm.wav', compressedWavFile(0x11, 4, Buffer.alloc(SECONDS * 8_000), 16_000)],
    ['speech.mp3', mp3File(Math.ceil((SECONDS * 44_100) / 1_152), 38)],
    ['speech.m4a', m4aFile(SECONDS / 0.064, 1)],
    ['speech.webm', webmFile(SECONDS / 0.06, 1)],
    ['speech.ogg', oggFile(SECONDS / 0.06)],
    ['speech.flac', flacFile(Math.ceil(SECONDS / 0.256), 16_000)],
  ])('%s', async (name, file) => {
    const form = new FormData();
    form.append('model', 'sim/transcription');
    // What a provider hears.
    form.append('prompt', directed({ seconds: SECONDS }));
    form.append('file', new Blob([new Uint8Array(file)]), name);
    const answer = await send('audio/transcriptions', form);
    expect(answer.status).toBe(200);
    await system.settled(attacker);
    const { charges } = await readLedger(system, attacker);
    // $0.36 an hour.
    expect(charges.get(answer.requestId)).toBe(BigInt(SECONDS) * 100_000n);
    expect(await losses()).toEqual([]);
  });
});

test('replies beyond their holds limit the account', async () => {
  const beyond = chat(directed({ usage: { completion_tokens: 2_000 } }), { max_tokens: 16 });
  const times = await repeatUntilLimited(() => send('chat/completions', beyond));
  expect(times).toBeLessThanOrEqual(2);
  expect((await losses()).every(({ reason }) => reason === 'over_hold')).toBe(true);
});

test('calls that are not streamed and abandoned limit the account by what was probably generated', async () => {
  const waiting = chat(directed({ delay_ms: 60_000 }), { max_tokens: 4_000, n: 8 });
  const times = await repeatUntilLimited(async () => {
    const client = new AbortController();
    const call = fetch(`${system.stack.apiUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${attacker.apiKey}` },
      body: JSON.stringify(waiting),
      signal: client.signal,
    }).catch(() => {});
    await until(async () => (await system.meter({ limit: 1 })).in_flight > 0);
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    client.abort();
    await call;
  });
  expect(times).toBeLessThan(10);
  const all = await losses();
  const promptNano = costNano({ prompt_tokens: 100, completion_tokens: 0 });
  for (const { reason, nano } of all) {
    expect(reason).toBe('abandoned');
    // A second, at least.
    expect(nano).toBeGreaterThan(promptNano + 8n * 150n * 4_000n);
  }
});

test('a response in the background that is cancelled is a loss of its prompt and of what was probably generated', async () => {
  const waiting = {
    model: 'sim/chat',
    input: directed({ delay_ms: 60_000 }),
    max_output_tokens: 4_000,
    background: true,
  };
  const created = await send('responses', waiting);
  expect(created.status).toBe(200);
  await until(async () => (await system.meter({ limit: 1 })).in_flight > 0);
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect((await send(`responses/${created.body.id}/cancel`, {})).status).toBe(200);
  await system.settled(attacker);
  const [loss, ...others] = await losses();
  expect([loss?.reason, others]).toEqual(['abandoned', []]);
  expect(loss!.nano).toBeGreaterThan(75n * 4_000n);
});

test('prompts beyond the context are refused on a busy machine, cost nothing and reach no provider', async () => {
  const { calls } = await system.meter({ limit: 1 });
  // A token for each word, in a context of 128,000.
  const prompts = [1.1, 1.3, 2, 5].flatMap((times) => Array(4).fill(chat(' word'.repeat(128_000 * times))));
  const answers = await Promise.all(prompts.map((prompt) => send('chat/completions', prompt)));
  for (const { status, body } of answers) {
    expect(status).toBe(400);
    expect(body.error?.detail).toContain('exceeds the 128000-token context');
  }
  expect((await send('chat/completions', chat(' word'.repeat(120_000), { max_tokens: 16 }))).status).toBe(
    200,
  );
  await system.settled(attacker);
  expect((await system.meter({ limit: 1 })).calls).toBe(calls + 1);
});

describe('stored content', () => {
  const stored = { model: 'sim/chat', input: 'hi', max_output_tokens: 16, store: true };

  test('beyond the quota of an account is refused before it costs anything', async () => {
    for (let count = 0; count < STORED_RESPONSES; count++)
      expect((await send('responses', stored)).status).toBe(200);
    await system.settled(attacker);
    const before = await readLedger(system, attacker);
    expect(await send('responses', stored)).toMatchObject({ status: 400, code: 'invalid_request' });
    await system.settled(attacker);
    expect((await readLedger(system, attacker)).charges.size).toBe(before.charges.size);
  });

  test('is not accepted from an account without a balance', async () => {
    const poor = await system.provision({ balanceUsd: 0 });
    const form = new FormData();
    form.append('purpose', 'batch');
    form.append('file', new Blob(['{}']), 'batch.jsonl');
    expect((await send('files', form, poor)).code).toBe('insufficient_balance');
  });

  test('of another key is not found by a key with scopes', async () => {
    const { body } = await send('responses', stored);
    const scoped = await system.dashboard.call('POST', 'keys', attacker.token, {
      name: 'scoped',
      scopes: ['chat'],
    });
    const own = { apiKey: scoped.key, method: 'GET' };
    expect((await send(`responses/${body.id}`, {}, own)).code).toBe('not_found');
    expect((await send('files', {}, own)).code).toBe('not_found');
  });
});
