import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { SecretScanningKeys } from './clients/secret-scanning-keys';
import { type Dashboard, startDashboard, startWorld, type World } from './testing/dashboard-fixture';

jest.setTimeout(30_000);

const signer = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const later = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const pem = ({ publicKey }: { publicKey: KeyObject }) => publicKey.export({ type: 'spki', format: 'pem' });
const published = (keys: Record<string, { publicKey: KeyObject }>) =>
  JSON.stringify({
    public_keys: Object.entries(keys).map(([key_identifier, pair]) => ({
      key_identifier,
      key: pem(pair),
      is_current: true,
    })),
  });

/** The published keys, and how often they were fetched. */
const publisher = { body: published({ first: signer }), reads: 0 };
const publisherServer = http.createServer((_request, response) => {
  publisher.reads += 1;
  response.end(publisher.body);
});
let publisherUrl: string;
let world: World;
let dashboard: Dashboard;
let owner: Awaited<ReturnType<Dashboard['register']>>;
let operator: string;

beforeAll(async () => {
  await new Promise<void>((done) => publisherServer.listen(0, '127.0.0.1', done));
  const { port } = publisherServer.address() as { port: number };
  publisherUrl = `http://127.0.0.1:${port}/`;
  world = await startWorld();
  dashboard = await startDashboard(world, { SECRET_SCANNING_KEYS_URL: publisherUrl });
  owner = await dashboard.register();
  operator = await dashboard.loginOperator();
});
afterAll(async () => {
  await dashboard?.stop();
  await world?.stop();
  publisherServer.close();
});

const newKey = async () => (await dashboard.post('keys', { name: 'a key' }, owner.token)).body;
const keyOf = async (id: string) => (await dashboard.get(`keys/${id}`, owner.token)).body;

function report(secrets: unknown, keys = signer, keyId = 'first', signedBody?: string) {
  const body = typeof secrets === 'string' ? secrets : JSON.stringify(secrets);
  return dashboard.send('/api/v1/secret-scanning/github', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'github-public-key-identifier': keyId,
      'github-public-key-signature': sign(
        'sha256',
        Buffer.from(signedBody ?? body),
        keys.privateKey,
      ).toString('base64'),
    },
    body,
  });
}

const secret = (token: string) => ({
  token,
  type: 'model_gateway_api_key',
  url: 'https://github.com/octo/repo/blob/0123/config.js',
  source: 'content',
});
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

describe("a report of GitHub's secret scanning", () => {
  test('revokes its keys, reports which were real, and records the reason for the owner', async () => {
    const { id, key: value } = await newKey();
    const { status, body } = await report([secret(value), secret('sk-gw-key_99999-1')]);
    expect(status).toBe(200);
    expect(body).toEqual([
      { token_hash: sha256(value), token_type: 'model_gateway_api_key', label: 'true_positive' },
      {
        token_hash: sha256('sk-gw-key_99999-1'),
        token_type: 'model_gateway_api_key',
        label: 'false_positive',
      },
    ]);
    const key = await keyOf(id);
    expect(key).toMatchObject({ status: 'revoked', revoked_at: '2026-01-02T03:04:05.000Z' });
    expect(key.revoke_reason).toBe(
      'Leaked: found by GitHub secret scanning (content): https://github.com/octo/repo/blob/0123/config.js',
    );
    const audit = (await dashboard.get('audit?limit=1', owner.token)).body;
    expect(audit.data).toMatchObject([
      {
        action: 'key.revoked_as_leaked',
        subject: id,
        actor: { email: 'GitHub secret scanning', operator: false },
        changes: { reason: key.revoke_reason },
      },
    ]);
    expect(JSON.stringify(audit)).not.toContain(value);
  });

  test('finds a key within the matched text, and is idempotent', async () => {
    const { id, key: value } = await newKey();
    const secrets = [{ ...secret(`Bearer ${value}`), url: null, source: null }];
    for (const _ of [1, 2]) {
      expect((await report(secrets)).body).toMatchObject([{ label: 'true_positive' }]);
    }
    expect((await keyOf(id)).revoke_reason).toBe('Leaked: found by GitHub secret scanning');
  });

  test('is refused without effect unless it is signed by a published key', async () => {
    const { id, key: value } = await newKey();
    const secrets = [secret(value)];
    const forged = [
      await report(secrets, stranger),
      await report(secrets, signer, 'first', '[]'),
      await report(secrets, signer, 'unknown'),
      await dashboard.post('secret-scanning/github', secrets),
    ];
    for (const { status, body } of forged) {
      expect([status, body.error.code]).toEqual([401, 'invalid_api_key']);
    }
    expect((await keyOf(id)).status).toBe('enabled');
  });

  test.each([
    ['{'],
    ['{}'],
    ['[{"token": 5, "type": "x"}]'],
    [JSON.stringify(Array(1_001).fill(secret('x')))],
  ])('that is signed but malformed is refused as invalid_request: %.40s', async (body) => {
    expect((await report(body)).body.error?.code).toBe('invalid_request');
  });
});

describe('the public keys of secret scanning', () => {
  const keysOf = (options: { url?: string; file?: string }) => {
    let nowMs = 0;
    const keys = new SecretScanningKeys({
      url: options.url ?? publisherUrl,
      file: options.file,
      nowMs: () => nowMs,
    });
    return { keys, advance: (ms: number) => (nowMs += ms) };
  };

  test('are fetched again for an unknown key id, at most once a minute', async () => {
    publisher.body = published({ first: signer });
    const { keys, advance } = keysOf({});
    publisher.reads = 0;
    expect(await keys.find('first')).toBeDefined();
    publisher.body = published({ second: later });
    expect([await keys.find('first'), await keys.find('second')]).toEqual([expect.anything(), undefined]);
    expect(publisher.reads).toBe(1);
    advance(60_000);
    expect(await keys.find('second')).toBeDefined();
    expect(await keys.find('first')).toBeUndefined();
    expect(publisher.reads).toBe(2);
    publisher.body = published({ first: signer });
  });

  test('are kept for a day while they cannot be fetched', async () => {
    publisher.body = published({ first: signer });
    const { keys, advance } = keysOf({});
    expect(await keys.find('first')).toBeDefined();
    publisher.body = 'not JSON';
    advance(60_000);
    expect(await keys.find('other')).toBeUndefined();
    expect(await keys.find('first')).toBeDefined();
    advance(24 * 60 * 60 * 1_000);
    await expect(keys.find('first')).rejects.toMatchObject({ code: 'internal_error' });
    publisher.body = published({ first: signer });
  });

  test('that cannot be fetched fail the report with internal_error, so that it is sent again', async () => {
    const { keys } = keysOf({ url: 'http://127.0.0.1:1/' });
    await expect(keys.find('first')).rejects.toMatchObject({ code: 'internal_error' });
  });

  test('can be read from a file', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'scanner-keys-'));
    try {
      const file = path.join(folder, 'keys.json');
      writeFileSync(file, published({ filed: later }));
      expect(await keysOf({ file }).keys.find('filed')).toBeDefined();
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('values that an operator reports as leaked', () => {
  test('revoke their keys; neither response nor audit log has the value', async () => {
    const { id, key: value } = await newKey();
    const values = [value, 'sk-gw-key_99999-1'];
    const { status, body } = await dashboard.post('admin/keys/revoke-leaked', { values }, operator);
    expect(status).toBe(200);
    expect(body).toEqual({
      data: [
        { key_id: id, account_id: owner.account.id, hint: 'abcd', outcome: 'key_revoked' },
        { key_id: null, account_id: null, hint: null, outcome: 'unknown' },
      ],
    });
    expect(await keyOf(id)).toMatchObject({
      status: 'revoked',
      revoke_reason: 'Leaked: reported by an operator',
    });
    const again = await dashboard.post('admin/keys/revoke-leaked', { values: [value] }, operator);
    expect(again.body.data).toMatchObject([{ key_id: id, outcome: 'unchanged' }]);
    const audits = [
      (await dashboard.get('audit', owner.token)).body,
      (await dashboard.get('admin/audit', operator)).body,
    ];
    expect(audits[0].data[0]).toMatchObject({
      action: 'key.revoked_as_leaked',
      subject: id,
      actor: { id: null, operator: true },
      address: null,
    });
    for (const audit of audits) expect(JSON.stringify(audit)).not.toContain(value);
  });

  test.each([[{ values: [] }], [{ values: Array(101).fill('sk-gw-x') }], [{ values: [5] }]])(
    'are refused if the list is empty, too long or malformed: %.60j',
    async (body) => {
      const answer = await dashboard.post('admin/keys/revoke-leaked', body, operator);
      expect(answer.status).toBe(400);
    },
  );
});
