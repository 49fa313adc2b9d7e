import { mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { GatewayError } from '@gateway/errors';
import { createLogger } from '@gateway/process';
import { parseKeyEncryptionKeys } from '@gateway/secrets';
import { until } from '@gateway/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { v7 as newId } from 'uuid';
import type { ChatCall } from '../../calls/chat-calls';
import { Files, removeExpiredFiles } from '../../files/store/files';
import { FolderStore } from '../../files/store/folder-store';
import { createStorageFixture, newKey, type StorageFixture } from '../../testing/storage-fixture';
import type { Batch } from '../rules/batch';
import { Batches, clearEndedBatches, type NewBatch } from '../store/batches';
import { reencryptBatches } from '../store/reencrypt-batches';
import { type BatchDeps, type OwnBatch, runBatch } from './run-batch';

const ACCOUNT = 'a';
const BOUNDS = { retentionDays: 30, maxAccountBatches: 1_000, maxAccountResultBytes: 1e9 };
const OLD_KEY = newKey();
const KEYS = parseKeyEncryptionKeys(OLD_KEY);

let storage: StorageFixture;
let folder: string;
let store: FolderStore;
let files: Files;
let batches: Batches;
let sent: ChatCall[];

beforeAll(async () => {
  storage = await createStorageFixture();
  folder = mkdtempSync(path.join(tmpdir(), 'gateway-batches-'));
  store = await FolderStore.open(folder);
  files = new Files(storage.pool, KEYS, store, {
    retentionDays: 30,
    maxAccountBytes: 1e9,
    maxAccountFiles: 10_000,
  });
  batches = new Batches(storage.pool, KEYS, BOUNDS);
}, 60_000);
beforeEach(async () => {
  sent = [];
  await storage.owner.query('TRUNCATE storage.batches, storage.batch_calls, storage.files');
});
afterAll(async () => {
  await storage?.cleanUp();
  rmSync(folder, { recursive: true, force: true });
}, 30_000);

const lineOf = (id: string, fields: object = {}) =>
  `${JSON.stringify({ custom_id: id, method: 'POST', url: '/v1/chat/completions', body: { model: 'm' }, ...fields })}\n`;
const LINES = ['1', '2', '3', '4'].map((id) => lineOf(id)).join('');

async function upload(content: string): Promise<string> {
  const id = `file-${newId()}`;
  await files.save({ accountId: ACCOUNT, keyId: 'key' }, id, async (put) => {
    await put(
      (async function* () {
        yield Buffer.from(content);
      })(),
    );
    return { filename: 'calls.jsonl', purpose: 'batch' };
  });
  return id;
}

async function create(content: string, more: Partial<NewBatch> = {}): Promise<Batch> {
  return batches.create({
    id: `batch_${newId()}`,
    accountId: ACCOUNT,
    keyId: 'k',
    format: 'openai',
    endpoint: '/v1/chat/completions',
    inputFileId: await upload(content),
    metadata: null,
    headers: {},
    ...more,
  });
}

const ANSWER = { headers: { 'x-gateway-cost': '0.000000005' }, body: Buffer.from('{"usage":{}}') };

function deps(more: Partial<BatchDeps> = {}): BatchDeps {
  return {
    batches,
    files,
    calls: {
      billing: {
        key: async () => ({}) as never,
        close: async () => ({ state: 'ended', nano: 0n }),
      },
      chat: {
        async send(call) {
          sent.push(call);
          return { ...ANSWER, release: () => {} };
        },
      },
    },
    rate: { next: async () => {} },
    concurrency: 2,
    metrics: { ended: () => {}, callEnded: () => {}, runFailed: () => {} },
    log: createLogger('storage-test', 'silent'),
    ...more,
  };
}

/** Claims the batch that is waiting, and runs it. */
async function run(more: Partial<BatchDeps> = {}, how: Partial<OwnBatch> = {}): Promise<void> {
  const runner = newId();
  const batch = await batches.claim(runner, []);
  if (!batch) throw new Error('no batch is waiting');
  await runBatch(deps(more), {
    batch,
    runner,
    signal: new AbortController().signal,
    isCancelling: () => false,
    isDraining: () => false,
    ...how,
  });
}

const reread = async ({ id }: Batch) => (await batches.find({ accountId: ACCOUNT }, 'openai', id))!;
const freeLeases = () => storage.owner.query('UPDATE storage.batches SET leased_until = now()');

async function resultsOf(fileId: string | null) {
  const file = fileId === null ? undefined : await files.open({ accountId: ACCOUNT }, fileId);
  const lines = file ? (await text(file.content)).trimEnd().split('\n') : [];
  return lines.map((line) => JSON.parse(line));
}

test('a batch ends with an answer for each line, in the order of the input', async () => {
  const created = await create(LINES);
  await run();
  const batch = await reread(created);
  expect(batch).toMatchObject({
    status: 'completed',
    counts: { total: 4, succeeded: 4, failed: 0 },
    usage: { costNano: 20n },
    errorFileId: null,
  });
  expect((await resultsOf(batch.outputFileId)).map(({ custom_id }) => custom_id)).toEqual([
    '1',
    '2',
    '3',
    '4',
  ]);
  expect(sent.map(({ headers }) => headers['x-gateway-batch'])).toEqual(['1', '1', '1', '1']);
});

test('the headers of the call that created the batch are those of its calls', async () => {
  await create(lineOf('1'), { headers: { 'anthropic-beta': 'some-beta' } });
  await run();
  expect(sent[0]?.headers).toMatchObject({ 'anthropic-beta': 'some-beta', 'x-gateway-batch': '1' });
});

test('a charge of a call that ends as an error is part of the cost of the batch', async () => {
  const created = await create(lineOf('1'));
  const failing: BatchDeps['calls'] = {
    billing: { key: async () => ({}) as never, close: async () => ({ state: 'ended', nano: 7n }) },
    chat: { send: () => Promise.reject(new GatewayError('upstream_failed')) },
  };
  await run({ calls: failing });
  expect(await reread(created)).toMatchObject({ counts: { failed: 1 }, usage: { costNano: 7n } });
});

describe('a line that is not valid fails its batch', () => {
  test.each([
    ['with a field named by a zero character', lineOf('1', { '\0': 1 }), 'unknown_parameter'],
    ['with a field whose name has half a character', lineOf('1', { '\ud83d': 1 }), 'unknown_parameter'],
    ['that is no JSON', '{"custom_id":\n', 'invalid_json_line'],
    ['without a custom_id', lineOf('', {}), 'invalid_custom_id'],
  ])('%s', async (_name, line, code) => {
    const created = await create(lineOf('first') + line);
    await run();
    expect(await reread(created)).toMatchObject({ status: 'failed', problems: [{ code, line: 2 }] });
    expect(sent).toEqual([]);
  });
});

test('an empty input fails its batch', async () => {
  const created = await create('\n \n');
  await run();
  expect(await reread(created)).toMatchObject({ status: 'failed', problems: [{ code: 'empty_file' }] });
});

describe('a batch that another process has claimed', () => {
  test('sends no more calls here, and the other process sends those that are left', async () => {
    const created = await create(LINES);
    const slow: BatchDeps['rate'] = {
      async next() {
        if (sent.length !== 2) return;
        await freeLeases();
        await batches.claim('other', []);
      },
    };
    await expect(run({ rate: slow, concurrency: 1 })).rejects.toThrow();
    expect(sent).toHaveLength(2);
    expect((await reread(created)).status).toBe('in_progress');
    await freeLeases();
    await run();
    expect(sent).toHaveLength(4);
    expect(await reread(created)).toMatchObject({ status: 'completed', counts: { succeeded: 4 } });
  });

  test('keeps running here after its lease, until another process claims it', async () => {
    const created = await create(LINES);
    await run({ rate: { next: async () => void (await freeLeases()) } });
    expect(await reread(created)).toMatchObject({ status: 'completed', counts: { succeeded: 4 } });
  });
});

test('cancelled while its results are written, a batch whose calls were all answered is completed', async () => {
  const created = await create(lineOf('1'));
  let isCancelling = false;
  const save: Files['save'] = async (...args) => {
    const saved = await files.save(...args);
    isCancelling = true;
    return saved;
  };
  const bound = {
    open: files.open.bind(files),
    discard: files.discard.bind(files),
    delete: files.delete.bind(files),
  };
  await run({ files: { ...bound, save } }, { isCancelling: () => isCancelling });
  expect(isCancelling).toBe(true);
  expect((await reread(created)).status).toBe('completed');
});

test('an overdue batch sends nothing and ends as expired, and each line is in the error file', async () => {
  const created = await create(LINES);
  await storage.owner.query('UPDATE storage.batches SET deadline_at = now()');
  await run();
  const batch = await reread(created);
  expect(batch).toMatchObject({ status: 'expired', outputFileId: null, counts: { total: 4, succeeded: 0 } });
  expect((await resultsOf(batch.errorFileId)).map(({ error }) => error.code)).toEqual(
    Array(4).fill('batch_expired'),
  );
  expect(sent).toEqual([]);
});

test('a run that fails leaves no file open', async () => {
  const padded = Array.from({ length: 2_000 }, (_, at) =>
    lineOf(`${at}`, { body: { pad: 'x'.repeat(5_000) } }),
  );
  const { inputFileId } = await create(padded.join(''));
  const failing = { next: () => Promise.reject(new Error('broken')) };
  await expect(run({ rate: failing })).rejects.toThrow('broken');
  const isInput = (fd: string) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).includes(inputFileId);
    } catch {
      return false;
    }
  };
  await until(() => !readdirSync('/proc/self/fd').some(isInput));
});

describe('the input of a batch', () => {
  test('cannot be deleted by a call that arrives while the batch is created', async () => {
    const inputFileId = await upload(lineOf('1'));
    const creation = batches.create({
      id: 'batch_1',
      accountId: ACCOUNT,
      keyId: 'k',
      format: 'openai',
      endpoint: '/v1/chat/completions',
      inputFileId,
      metadata: null,
      headers: {},
    });
    const [created, deleted] = await Promise.allSettled([
      creation,
      files.delete({ accountId: ACCOUNT }, inputFileId),
    ]);
    // Whichever comes first, a batch has its input.
    expect([created.status, deleted.status].sort()).toEqual(['fulfilled', 'rejected']);
    expect((await files.find({ accountId: ACCOUNT }, inputFileId)) !== undefined).toBe(
      created.status === 'fulfilled',
    );
  });

  test('is kept after it has expired, until the batch has ended', async () => {
    const created = await create(LINES);
    await storage.owner.query('UPDATE storage.files SET expires_at = now()');
    expect(await removeExpiredFiles(storage.pool, store, 10)).toBe(0);
    await run();
    expect((await reread(created)).status).toBe('completed');
    expect(await removeExpiredFiles(storage.pool, store, 10)).toBe(1);
  });

  test('that is lost ends the batch with the results that it has', async () => {
    const created = await create(LINES);
    await run({ concurrency: 1 }, { isDraining: () => sent.length === 2 });
    await store.delete(created.inputFileId);
    await freeLeases();
    await run();
    const batch = await reread(created);
    expect(batch).toMatchObject({ status: 'expired', counts: { total: 4, succeeded: 2 } });
    expect(await resultsOf(batch.outputFileId)).toHaveLength(2);
  });
});

test('results do not count against the limits of files', async () => {
  const small = new Files(storage.pool, KEYS, store, {
    retentionDays: 30,
    maxAccountBytes: LINES.length,
    maxAccountFiles: 10_000,
  });
  const created = await create(LINES);
  await run({ files: small });
  const batch = await reread(created);
  expect(batch.status).toBe('completed');
  await files.delete({ accountId: ACCOUNT }, batch.inputFileId);
  await expect(
    small.save({ accountId: ACCOUNT, keyId: 'key' }, 'next', async (put) => {
      await put(
        (async function* () {
          yield Buffer.from(LINES);
        })(),
      );
      return { filename: 'next', purpose: 'batch' };
    }),
  ).resolves.toMatchObject({ id: 'next' });
});

test('results, also of calls that failed, bound the batches that are created', async () => {
  const failed = await create(lineOf('1', { body: { model: 'm', stream: true } }));
  await run();
  const { errorFileId } = await reread(failed);
  const { bytes } = (await files.find({ accountId: ACCOUNT }, errorFileId!))!;
  const inputFileId = await upload(LINES);
  const add = (maxAccountResultBytes: number) =>
    new Batches(storage.pool, KEYS, { ...BOUNDS, maxAccountResultBytes }).create({
      ...{ id: `batch_${newId()}`, accountId: ACCOUNT, keyId: 'k', format: 'openai', inputFileId },
      ...{ endpoint: '/v1/chat/completions', metadata: null, headers: {} },
    });
  await expect(add(bytes)).rejects.toMatchObject({ code: 'invalid_request' });
  await add(bytes + 1);
  await files.delete({ accountId: ACCOUNT }, errorFileId!);
  await add(bytes);
});

test('files with results expire as the batch asks', async () => {
  const created = await create(lineOf('1'), { outputSeconds: 3_600 });
  await run();
  const { outputFileId } = await reread(created);
  const file = await files.find({ accountId: ACCOUNT }, outputFileId!);
  expect(file!.expiresAt.getTime() - file!.createdAt.getTime()).toBeLessThan(3_660_000);
});

test('a message batch has all results in one file, and its input, which no caller stored, is deleted', async () => {
  const line = (id: string) => lineOf(id, { url: '/v1/messages' });
  const created = await create(line('1') + line('2'), {
    format: 'anthropic',
    endpoint: '/v1/messages',
    total: 2,
  });
  await run();
  const batch = (await batches.find({ accountId: ACCOUNT }, 'anthropic', created.id))!;
  expect((await resultsOf(batch.outputFileId)).map(({ result }) => result.type)).toEqual([
    'succeeded',
    'succeeded',
  ]);
  expect(await files.find({ accountId: ACCOUNT }, created.inputFileId)).toBeUndefined();
});

test('a batch that has ended is cleared of its calls, and can be deleted at once', async () => {
  const line = lineOf('1', { url: '/v1/messages' });
  const created = await create(line, { format: 'anthropic', endpoint: '/v1/messages', total: 1 });
  await run();
  expect(await clearEndedBatches(storage.pool, 10)).toBe(1);
  expect((await storage.owner.query('SELECT FROM storage.batch_calls')).rowCount).toBe(0);
  expect(await clearEndedBatches(storage.pool, 10)).toBe(0);
  expect(await batches.delete({ accountId: ACCOUNT }, 'anthropic', created.id)).toBe(true);
});

test('results and metadata are encrypted, and can be read with another key after re-encryption', async () => {
  const created = await create(LINES, { metadata: { name: 'a secret name' } });
  await run({ concurrency: 1 }, { isDraining: () => sent.length === 2 });
  const { rows } = await storage.owner.query('SELECT sealed_metadata FROM storage.batches');
  expect(rows[0].sealed_metadata.includes('secret')).toBe(false);
  const key = newKey();
  expect(await reencryptBatches(storage.pool, parseKeyEncryptionKeys(`${key},${OLD_KEY}`))).toBe(1);
  expect(await reencryptBatches(storage.pool, parseKeyEncryptionKeys(`${key},${OLD_KEY}`))).toBe(0);
  const rekeyed = new Batches(storage.pool, parseKeyEncryptionKeys(key), {
    ...BOUNDS,
  });
  expect((await rekeyed.find({ accountId: ACCOUNT }, 'openai', created.id))?.metadata).toEqual({
    name: 'a secret name',
  });
  const results: Buffer[] = [];
  for await (const line of rekeyed.results(created, true)) results.push(line);
  expect(results).toHaveLength(2);
});

describe('batches that wait', () => {
  test('are claimed in turn, those that are to end first, also of an account that runs as many as it may', async () => {
    const [first, second, third] = [await create(LINES), await create(LINES), await create(LINES)];
    await batches.cancel({ accountId: ACCOUNT }, 'openai', third.id);
    expect((await batches.claim('r1', [ACCOUNT]))?.id).toBe(third.id);
    expect(await batches.claim('r2', [ACCOUNT])).toBeUndefined();
    expect((await batches.claim('r2', []))?.id).toBe(first.id);
    await batches.giveBack(first.id, 'r2', 0);
    expect((await batches.claim('r3', []))?.id).toBe(second.id);
    await batches.giveBack(second.id, 'r3', 60);
    expect((await batches.claim('r4', []))?.id).toBe(first.id);
    expect(await batches.claim('r5', [])).toBeUndefined();
  });

  test('of an account are a hundred at most', async () => {
    const inputFileId = await upload(LINES);
    for (let at = 0; at < 100; at++) await create('', { inputFileId });
    await expect(create('', { inputFileId })).rejects.toMatchObject({ code: 'rate_limited' });
  });
});

test('an account has a bound of batches, those that have ended included', async () => {
  const bounded = new Batches(storage.pool, KEYS, { ...BOUNDS, maxAccountBatches: 2 });
  const account = { accountId: 'bounded', keyId: 'key' };
  await files.save(account, 'file-bounded', async (put) => {
    await put((async function* () {})());
    return { filename: 'a', purpose: 'batch' };
  });
  const add = (id: string) =>
    bounded.create({
      ...account,
      id,
      format: 'openai',
      endpoint: '/v1/chat/completions',
      inputFileId: 'file-bounded',
      metadata: null,
      headers: {},
    });
  await add('batch_b1');
  await storage.owner.query(`UPDATE storage.batches SET ended_at = now() WHERE id = 'batch_b1'`);
  await add('batch_b2');
  await expect(add('batch_b3')).rejects.toMatchObject({ code: 'invalid_request' });
});
