import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { S3_BUCKET, S3_SERVER, type S3Server, startS3Server, until } from '@gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { placesOfSecrets } from './support/find-secrets';
import { type FormPart, writeForm } from './support/form';
import { type HttpAnswer, sendRequest } from './support/http';
import { holdLargeForm, leaveLargeForm, postLargeForm } from './support/large-form';
import { pssBytes } from './support/process-memory';
import { queryDatabase } from './support/query-database';
import { S3_CERTIFICATE, S3_KEY } from './support/s3-certificate';
import { type Customer, type System, startSystem } from './support/system';

const MIB = 1024 ** 2;
const MAX_GROWTH_BYTES = 64 * MIB;
const DELETION_INTERVAL_MS = 2_000;
const SWEPT_WITHIN_MS = 30_000;
const LINES = '{"note":"a-very-secret-line"}\n';
const FORM: readonly FormPart[] = [
  ['purpose', 'batch'],
  ['file', Buffer.from(LINES)],
];

/** Two instances of storage share a bucket, over TLS with a certificate that they know by NODE_EXTRA_CA_CERTS. */
(S3_SERVER ? describe : describe.skip)('files in a bucket', () => {
  let folder: string;
  let server: S3Server;
  let system: System;
  let customer: Customer;
  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'gateway-s3-certificate-'));
    const [certFile, keyFile] = [path.join(folder, 'certificate.pem'), path.join(folder, 'key.pem')];
    writeFileSync(certFile, S3_CERTIFICATE);
    writeFileSync(keyFile, S3_KEY);
    server = await startS3Server({ certFile, keyFile });
    const storage = {
      FILE_S3_BUCKET: S3_BUCKET,
      FILE_S3_ENDPOINT: server.endpoint,
      FILE_S3_PATH_STYLE: 'on',
      FILE_S3_PREFIX: 'gateway/',
      FILE_S3_ACCESS_KEY_ID: server.accessKeyId,
      FILE_S3_SECRET_ACCESS_KEY: server.secretAccessKey,
      NODE_EXTRA_CA_CERTS: certFile,
      DELETION_INTERVAL_MS: String(DELETION_INTERVAL_MS),
    };
    system = await startSystem({ instances: { storage: 2 }, settings: { storage } });
    customer = await system.provision();
  }, 90_000);
  afterAll(async () => {
    await system?.stop();
    await server?.stop();
    if (folder) rmSync(folder, { recursive: true, force: true });
  }, 30_000);

  const url = (rest = '') => `${system.stack.apiUrl}/v1/files${rest}`;
  const authorization = () => ({ authorization: `Bearer ${customer.apiKey}` });
  const call = (rest: string, method = 'GET'): Promise<HttpAnswer> =>
    sendRequest(url(rest), method, authorization());
  const form = (bytes: Buffer) => ({ fields: { purpose: 'user_data' }, part: 'file', files: 1, bytes });
  async function upload() {
    const { contentType, body } = writeForm(FORM);
    const headers = { ...authorization(), 'content-type': contentType };
    const answer = await fetch(url(), { method: 'POST', headers, body: new Uint8Array(body) });
    // biome-ignore lint/suspicious/noExplicitAny: an answer is read as what it is known to hold.
    return { status: answer.status, json: (await answer.json()) as any };
  }
  const contentOf = (id: string) => fetch(url(`/${id}/content`), { headers: authorization() });
  const rows = () => queryDatabase<{ id: string }>(system, 'SELECT id FROM storage.files', []);

  test('are written, read and deleted by both instances, and nothing of them is in clear', async () => {
    // Concurrent calls are spread over the instances.
    const uploaded = await Promise.all(Array.from({ length: 8 }, upload));
    const ids: string[] = uploaded.map(({ json }) => json.id);
    expect(server.files().sort()).toEqual(ids.map((id) => `gateway/${id}`).sort());
    const saved = [0, 1].map((at) => system.metric('storage', 'storage_files_saved_total', at));
    const counts = await Promise.all(saved);
    expect(counts.reduce((sum, count) => sum + count)).toBe(8);
    expect(Math.min(...counts)).toBeGreaterThan(0);
    for (const id of ids) {
      const read = await Promise.all([1, 2, 3, 4].map(async () => (await contentOf(id)).text()));
      expect(read).toEqual([LINES, LINES, LINES, LINES]);
      expect(readFileSync(path.join(server.folder, 'gateway', id)).includes('secret')).toBe(false);
      expect((await call(`/${id}/delete`, 'POST')).status).toBe(200);
    }
    expect(server.files()).toEqual([]);
    expect(await placesOfSecrets(system, ['a-very-secret', server.secretAccessKey])).toEqual([]);
  });

  test('of 99 MiB are stored and read as they were, and never whole in memory', async () => {
    const large = form(randomBytes(99 * MIB));
    for (let at = 0; at < 4; at++) await postLargeForm(url(), customer.apiKey, form(Buffer.alloc(12 * MIB)));
    const pids = [0, 1].map((at) => system.stack.pid('storage', at));
    const before = pids.map(pssBytes);
    let growth = 0;
    const watch = setInterval(() => {
      for (const [at, pid] of pids.entries()) growth = Math.max(growth, pssBytes(pid) - before[at]!);
    }, 50);
    try {
      const [status, text] = await postLargeForm(url(), customer.apiKey, large);
      expect(status).toBe(200);
      const content = await contentOf(JSON.parse(text).id);
      expect(content.status).toBe(200);
      expect(content.headers.get('content-length')).toBe(String(large.bytes.length));
      const hash = createHash('sha256');
      for await (const piece of content.body!) hash.update(piece);
      expect(hash.digest('hex')).toBe(createHash('sha256').update(large.bytes).digest('hex'));
    } finally {
      clearInterval(watch);
    }
    expect(growth).toBeLessThan(MAX_GROWTH_BYTES);
  }, 120_000);

  test('that a client stops uploading leave no object and no parts', async () => {
    const [before, files] = [server.files().length, (await rows()).length];
    await leaveLargeForm(url(), customer.apiKey, form(Buffer.alloc(20 * MIB)), 0.8);
    await until(async () => (await rows()).length === files && server.files().length === before, 20_000);
  }, 60_000);

  test('are internal errors while the server is down, and instances stay ready for responses', async () => {
    const { id } = (await upload()).json;
    const cut = await holdLargeForm(url(), customer.apiKey, form(Buffer.alloc(8 * MIB)));
    await server.kill();
    try {
      expect(await cut.end()).toBe(500);
      const answers = [await upload(), await call(`/${id}/content`), await call(`/${id}/delete`, 'POST')];
      for (const { status, json } of answers) {
        expect([status, json.error.code]).toEqual([500, 'internal_error']);
        expect(JSON.stringify(json)).not.toMatch(/S3|bucket|object store|ECONN|127\.0\.0\.1/i);
      }
      for (const at of [0, 1])
        expect((await fetch(`${system.stack.adminUrl('storage', at)}/readyz`)).status).toBe(200);
      const response = await sendRequest(
        `${system.stack.apiUrl}/v1/responses/resp_x`,
        'GET',
        authorization(),
      );
      expect(response.status).toBe(404);
    } finally {
      await server.start();
    }
    expect((await upload()).status).toBe(200);
  }, 60_000);

  test('left by a killed instance are swept, their parts too', async () => {
    await queryDatabase(system, 'UPDATE storage.files SET expires_at = now()', []);
    await until(async () => (await rows()).length === 0 && server.files().length === 0, SWEPT_WITHIN_MS);
    const held = await holdLargeForm(url(), customer.apiKey, form(Buffer.alloc(20 * MIB)));
    await until(() => server.files().length > 0, 20_000);
    await Promise.all([0, 1].map((at) => system.stack.kill('storage', at)));
    expect(await held.end()).toBeGreaterThanOrEqual(500);
    await until(async () => (await call('')).status === 200, 60_000);
    expect([(await call('')).json.data, (await rows()).length]).toEqual([[], 1]);
    await queryDatabase(system, 'UPDATE storage.files SET expires_at = now()', []);
    await until(async () => (await rows()).length === 0 && server.files().length === 0, SWEPT_WITHIN_MS);
  }, 300_000);
});
