import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { until } from '@gateway/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import OpenAI, { toFile } from 'openai';
import { placesOfSecrets } from './support/find-secrets';
import { type FormPart, writeForm } from './support/form';
import { type HttpAnswer, postJson, sendRequest } from './support/http';
import { holdLargeForm, leaveLargeForm, postLargeForm } from './support/large-form';
import { readLedger } from './support/ledger';
import { pssBytes } from './support/process-memory';
import { queryDatabase } from './support/query-database';
import { type Customer, type System, startSystem } from './support/system';

const MIB = 1024 ** 2;
const MAX_FILE_MIB = 100;
const MAX_GROWTH_BYTES = 64 * MIB;
const SAMPLE_MS = 50;
const DELETION_INTERVAL_MS = 2_000;
const SWEPT_WITHIN_MS = 30_000;

let system: System;
let customer: Customer;

beforeAll(async () => {
  const storage = {
    FILE_MAX_BYTES: String(MAX_FILE_MIB * MIB),
    FILE_MAX_ACCOUNT_BYTES: String(1.5 * MAX_FILE_MIB * MIB),
    DELETION_INTERVAL_MS: String(DELETION_INTERVAL_MS),
  };
  system = await startSystem({ settings: { storage } });
}, 60_000);
beforeEach(async () => {
  customer = await system.provision();
});
afterAll(async () => {
  await system?.stop();
}, 30_000);

const MISSING_ID = 'file-01890000-0000-7000-8000-000000000001';
const LINES = '{"custom_id":"1","note":"a-very-secret-line"}\n';
const url = (rest = '', { stack } = system) => `${stack.apiUrl}/v1/files${rest}`;
const authorization = ({ apiKey } = customer) => ({ authorization: `Bearer ${apiKey}` });
const get = (rest: string, by = customer): Promise<HttpAnswer> =>
  sendRequest(url(rest), 'GET', authorization(by));
const post = (rest: string, by = customer): Promise<HttpAnswer> =>
  sendRequest(url(rest), 'POST', authorization(by));
const clientOf = ({ apiKey } = customer) =>
  new OpenAI({ apiKey, baseURL: `${system.stack.apiUrl}/v1`, maxRetries: 0 });
const upload = async (text = LINES, name = 'calls.jsonl', by = customer) =>
  clientOf(by).files.create({ file: await toFile(Buffer.from(text), name), purpose: 'batch' });
async function send(parts: readonly FormPart[], by = customer, at = system) {
  const { contentType, body } = writeForm(parts);
  const headers = { ...authorization(by), 'content-type': contentType };
  const answer = await fetch(url('', at), { method: 'POST', headers, body: new Uint8Array(body) });
  // biome-ignore lint/suspicious/noExplicitAny: an answer is read as what it is known to hold.
  return { status: answer.status, json: (await answer.json()) as any };
}
const rowsOf = ({ id }: Customer) =>
  queryDatabase<{ id: string; stored: boolean }>(
    system,
    'SELECT id, sealed_details IS NOT NULL AS stored FROM storage.files WHERE account_id = $1',
    [id],
  );
const objects = (of = system) => readdirSync(path.join(of.stack.dataDir, 'files'));
const form = (mebibytes: number) => ({
  fields: { purpose: 'user_data' },
  part: 'file',
  files: 1,
  bytes: Buffer.alloc(mebibytes * MIB, 'large file '),
});

describe('the openai package', () => {
  test('creates, retrieves, lists and reads a file, which costs nothing', async () => {
    const openai = clientOf();
    const name = 'a-very-secret-näme.jsonl';
    const created = await openai.files.create({
      file: await toFile(Buffer.from(LINES), name),
      purpose: 'batch',
      expires_after: { anchor: 'created_at', seconds: 3_600 },
    });
    expect(created).toMatchObject({
      object: 'file',
      bytes: LINES.length,
      filename: name,
      purpose: 'batch',
      status: 'processed',
    });
    expect(created.expires_at! - created.created_at).toBeLessThanOrEqual(3_602);
    expect(await openai.files.retrieve(created.id)).toEqual(created);
    expect(await (await openai.files.content(created.id)).text()).toBe(LINES);
    expect((await openai.files.list()).data).toEqual([created]);
    expect((await readLedger(system, customer)).charges.size).toBe(0);
    expect(await placesOfSecrets(system, ['a-very-secret'])).toEqual([]);
  });

  test('pages through files in both orders and by purpose', async () => {
    const ids: string[] = [];
    for (const name of ['a', 'b', 'c', 'd', 'e']) ids.push((await upload(LINES, name)).id);
    const listed = async (query: OpenAI.FileListParams) => {
      const found: string[] = [];
      for await (const { id } of clientOf().files.list(query)) found.push(id);
      return found;
    };
    expect(await listed({ limit: 2, order: 'asc' })).toEqual(ids);
    expect(await listed({ limit: 2 })).toEqual(ids.toReversed());
    expect(await listed({ purpose: 'user_data' })).toEqual([]);
    const { json } = await get('?limit=2&order=asc');
    expect([json.object, json.first_id, json.last_id, json.has_more]).toEqual(['list', ids[0], ids[1], true]);
    for (const query of ['limit=0', 'limit=10001', 'order=up', 'after=%00', 'x=1'])
      expect((await get(`?${query}`)).json.error.code).toBe('invalid_request');
  });

  test('stores an empty file', async () => {
    const { id, bytes } = await upload('');
    expect(bytes).toBe(0);
    expect(await (await clientOf().files.content(id)).text()).toBe('');
  });
});

test("an unknown, a deleted, an expired and another account's file are not found", async () => {
  const other = await system.provision();
  const [deleted, expired, foreign] = [await upload(), await upload(), await upload(LINES, 'f', other)];
  expect((await post(`/${deleted.id}/delete`)).json).toEqual({
    id: deleted.id,
    object: 'file',
    deleted: true,
  });
  await queryDatabase(system, 'UPDATE storage.files SET expires_at = now() WHERE id = $1', [expired.id]);
  for (const id of [MISSING_ID, deleted.id, expired.id, foreign.id]) {
    const answers = [await get(`/${id}`), await get(`/${id}/content`), await post(`/${id}/delete`)];
    expect(answers.map(({ status, json }) => [status, json.error.code])).toEqual(
      Array.from({ length: 3 }, () => [404, 'not_found']),
    );
  }
  expect((await get('')).json.data).toEqual([]);
  expect((await get(`/${foreign.id}`, other)).status).toBe(200);
  expect((await sendRequest(url(`/${foreign.id}`), 'DELETE', authorization(other))).status).toBe(404);
  // Other tests compare the objects before and after a call.
  await until(async () => (await rowsOf(customer)).length === 0, SWEPT_WITHIN_MS);
});

const FILE: FormPart = ['file', Buffer.from(LINES)];
const PURPOSE: FormPart = ['purpose', 'batch'];

describe('an upload is refused', () => {
  test.each<[string, readonly FormPart[]]>([
    ['without a file', [PURPOSE]],
    ['without a purpose', [FILE]],
    ['with a file of another name', [PURPOSE, ['data', Buffer.from(LINES)]]],
    ['with two files', [PURPOSE, FILE, FILE]],
    ['with a purpose that nothing here has', [FILE, ['purpose', 'fine-tune']]],
    ['with an unknown field', [PURPOSE, FILE, ['other', 'x']]],
    ['with a field twice', [PURPOSE, FILE, PURPOSE]],
    [
      'with a lifetime that is too short',
      [PURPOSE, FILE, ['expires_after[anchor]', 'created_at'], ['expires_after[seconds]', '60']],
    ],
  ])('%s, and leaves nothing', async (_what, parts) => {
    const before = objects();
    const { status, json } = await send(parts);
    expect([status, json.error]).toEqual([
      400,
      expect.objectContaining({ code: 'invalid_request', detail: expect.any(String) }),
    ]);
    expect([await rowsOf(customer), objects()]).toEqual([[], before]);
  });

  test('as JSON', async () => {
    const { status, json } = await postJson(url(), { purpose: 'batch' }, customer.apiKey);
    expect([status, json.error.code]).toEqual([400, 'invalid_request']);
  });

  test('when the key has made its calls of the minute', async () => {
    const limited = await system.provision({ key: { rpm_limit: 1 } });
    expect((await send([PURPOSE, FILE], limited)).status).toBe(200);
    const { status, json } = await send([PURPOSE, FILE], limited);
    expect([status, json.error.code]).toEqual([429, 'rpm_rate_limited']);
    expect(await rowsOf(limited)).toHaveLength(1);
  });

  test('when the file, or all files of the account, are too large', async () => {
    const before = objects();
    const [status, text] = await postLargeForm(url(), customer.apiKey, form(MAX_FILE_MIB + 1));
    expect([status, JSON.parse(text).error.code]).toEqual([400, 'invalid_request']);
    expect([await rowsOf(customer), objects()]).toEqual([[], before]);
    const statuses: number[] = [];
    for (let at = 0; at < 2; at++)
      statuses.push((await postLargeForm(url(), customer.apiKey, form(MAX_FILE_MIB - 1)))[0]);
    expect(statuses).toEqual([200, 400]);
    expect(await rowsOf(customer)).toHaveLength(1);
  }, 120_000);
});

test('a large file is stored and read as it was, and never whole in memory', async () => {
  const large = form(MAX_FILE_MIB - 1);
  // The first one warms up.
  await postLargeForm(url(), customer.apiKey, form(5));
  const pids = [system.stack.pid('edge'), system.stack.pid('storage')];
  const before = pids.map(pssBytes);
  let growth = 0;
  const watch = setInterval(() => {
    for (const [at, pid] of pids.entries()) growth = Math.max(growth, pssBytes(pid) - before[at]!);
  }, SAMPLE_MS);
  try {
    const [status, text] = await postLargeForm(url(), customer.apiKey, large);
    expect(status).toBe(200);
    const answer = await fetch(url(`/${JSON.parse(text).id}/content`), { headers: authorization() });
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const piece of answer.body!) {
      hash.update(piece);
      bytes += piece.length;
    }
    expect(bytes).toBe(large.bytes.length);
    expect(hash.digest('hex')).toBe(createHash('sha256').update(large.bytes).digest('hex'));
  } finally {
    clearInterval(watch);
  }
  expect(growth).toBeLessThan(MAX_GROWTH_BYTES);
}, 120_000);

test.each([0, 0.3, 1])(
  'an upload that is cut off after %d of it leaves nothing behind',
  async (part) => {
    const before = objects();
    await leaveLargeForm(url(), customer.apiKey, form(5), part);
    await until(
      async () => (await rowsOf(customer)).length === 0 && objects().length <= before.length,
      20_000,
    );
  },
  60_000,
);

test('an upload during which storage was killed does not exist, and its object is swept', async () => {
  const before = objects();
  const held = await holdLargeForm(url(), customer.apiKey, form(5));
  await until(async () => objects().length > before.length, 20_000);
  await system.stack.kill('storage');
  expect(await held.end()).toBeGreaterThanOrEqual(500);
  expect(await rowsOf(customer)).toEqual([{ id: expect.any(String), stored: false }]);
  await until(async () => (await get('')).status === 200, 60_000);
  expect((await get('')).json.data).toEqual([]);
  await queryDatabase(system, 'UPDATE storage.files SET expires_at = now() WHERE account_id = $1', [
    customer.id,
  ]);
  await until(
    async () => (await rowsOf(customer)).length === 0 && objects().length <= before.length,
    SWEPT_WITHIN_MS,
  );
}, 240_000);

test('with storage off, uploads are refused and nothing of a file is on disk', async () => {
  const off = await startSystem({ env: { STORED_RESPONSES: 'off' } });
  try {
    const caller = await off.provision();
    const { status, json } = await send([PURPOSE, FILE], caller, off);
    expect([status, json.error]).toEqual([
      400,
      expect.objectContaining({ code: 'invalid_request', detail: 'files are not stored here' }),
    ]);
    expect(await queryDatabase(off, 'SELECT id FROM storage.files', [])).toEqual([]);
    expect(objects(off)).toEqual([]);
    expect(await placesOfSecrets(off, ['a-very-secret'])).toEqual([]);
  } finally {
    await off.stop();
  }
}, 120_000);
