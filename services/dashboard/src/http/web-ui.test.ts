import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import express from 'express';
import { loadWebFiles } from './web-files';
import { webUi } from './web-ui';

const PAGE = '<!doctype html><title>page</title>';
const SCRIPT = 'export const one = 1;\n'.repeat(200);

let directory: string;
let server: http.Server;

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'gateway-web-'));
  await mkdir(path.join(directory, 'assets'));
  await writeFile(path.join(directory, 'index.html'), PAGE);
  await writeFile(path.join(directory, '.sources'), 'a stamp');
  await writeFile(path.join(directory, 'assets/main-abc.js'), SCRIPT);
  await writeFile(path.join(directory, 'assets/main-abc.js.gz'), gzipSync(SCRIPT));
  await writeFile(path.join(directory, 'assets/main-abc.js.br'), brotliCompressSync(SCRIPT));
  const app = express().use(webUi(await loadWebFiles(directory)));
  app.use((_request, response) => void response.status(404).end('none'));
  server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
});
afterAll(async () => {
  await new Promise((resolve) => server?.close(resolve));
  await rm(directory, { recursive: true, force: true });
});

interface RawAnswer {
  status: number | undefined;
  headers: http.IncomingHttpHeaders;
  bytes: Buffer;
}

/** Not with fetch, which negotiates and decodes content encodings itself. */
function get(target: string, headers: Record<string, string> = {}, method = 'GET'): Promise<RawAnswer> {
  const { port } = server.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    const request = http.request({ port, path: target, headers, method, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode, headers: response.headers, bytes: Buffer.concat(chunks) }),
      );
    });
    request.on('error', reject).end();
  });
}

test.each(['/', '/keys', '/keys/key_1', '/models/sim/chat', '/operator/accounts', '/login?next=%2Fkeys'])(
  'answers %s with the single page and its content security policy',
  async (target) => {
    const { status, headers, bytes } = await get(target);
    expect(status).toBe(200);
    expect(bytes.toString()).toBe(PAGE);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'referrer-policy': 'no-referrer',
    });
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
  },
);

test('files with a hash in their name are immutable, in the best encoding that the client accepts', async () => {
  const plain = await get('/assets/main-abc.js');
  expect(plain.headers).toMatchObject({
    'cache-control': 'public, max-age=31536000, immutable',
    'content-type': 'text/javascript; charset=utf-8',
    vary: 'accept-encoding',
  });
  expect(plain.headers['content-encoding']).toBeUndefined();
  expect(plain.bytes.toString()).toBe(SCRIPT);
  const gzip = await get('/assets/main-abc.js', { 'accept-encoding': 'gzip, deflate' });
  expect(gzip.headers['content-encoding']).toBe('gzip');
  expect(gunzipSync(gzip.bytes).toString()).toBe(SCRIPT);
  const brotli = await get('/assets/main-abc.js', { 'accept-encoding': 'gzip, deflate, br' });
  expect(brotli.headers['content-encoding']).toBe('br');
  expect(brotliDecompressSync(brotli.bytes).toString()).toBe(SCRIPT);
  const refused = await get('/assets/main-abc.js', { 'accept-encoding': 'br;q=0' });
  expect(refused.headers['content-encoding']).toBeUndefined();
});

test.each([
  '/v1',
  '/v1/models',
  '/api/v1/keys',
  '/api',
  '/keysx',
  '/KEYS',
  '//keys',
  '/assets/',
  '/assets/other.js',
  '/assets/main-abc.js.gz',
  '/.sources',
  '/../package.json',
  '/%2e%2e/package.json',
  '/index',
])('does not serve %s', async (target) => {
  expect((await get(target)).status).toBe(404);
});

test('only GET is served', async () => {
  expect((await get('/', {}, 'POST')).status).toBe(404);
});

test('serves no web UI if its folder is missing', async () => {
  expect((await loadWebFiles(path.join(directory, 'none'))).size).toBe(0);
});
