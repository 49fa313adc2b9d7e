import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '@gateway/testing';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';

import {
  holdLargeForm,
  type LargeForm,
  largePicture,
  leaveLargeForm,
  postLargeForm,
} from './support/large-form';
import { pssBytes } from './support/process-memory';
import { type Customer, type System, startSystem } from './support/system';

jest.setTimeout(120_000);

const MIB = 1024 ** 2;
const UPLOADS = 8;
const FILES = 4;
const FILE_MIB = 10;
const MAX_GROWTH_BYTES = 64 * MIB;
const SAMPLE_MS = 50;
/** One account may use a quarter, which exceeds all concurrent uploads; accounts without money share an eighth. */
const UPLOAD_MAX_BYTES = 1_536 * MIB;

let system: System;
let customer: Customer;
let provider: http.Server;
/** Sizes of the bodies that the video provider received. */
let received: number[] = [];

beforeAll(async () => {
  provider = http.createServer((request, response) => {
    let bytes = 0;
    request.on('data', (piece: Buffer) => {
      bytes += piece.length;
    });
    request.on('end', () => {
      received.push(bytes);
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end('{"error":{"message":"not today"}}');
    });
  });
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
  const { port } = provider.address() as AddressInfo;
  system = await startSystem({
    autoRestart: false,
    settings: {
      media: { MINIMAX_BASE_URL: `http://127.0.0.1:${port}`, UPLOAD_MAX_BYTES: String(UPLOAD_MAX_BYTES) },
    },
  });
  customer = await system.provision({ balanceUsd: 100 });
}, 60_000);
afterAll(async () => {
  await system?.stop();
  provider?.closeAllConnections();
  await new Promise((resolve) => provider?.close(resolve));
}, 30_000);

const large = largePicture(FILE_MIB);
const small = largePicture(1);

const post = (path: string, form: LargeForm) =>
  postLargeForm(`${system.stack.apiUrl}${path}`, customer.apiKey, form);

/** Returns how much the memory of edge and media grows during the action. */
async function growthWhile<T>(action: () => Promise<T>): Promise<{ growthBytes: number; result: T }> {
  const pids = (['edge', 'media'] as const).map((service) => system.stack.pid(service));
  const total = () => pids.reduce((sum, pid) => sum + pssBytes(pid), 0);
  const beforeBytes = total();
  let peakBytes = beforeBytes;
  const sample = () => {
    peakBytes = Math.max(peakBytes, total());
  };
  const sampling = setInterval(sample, SAMPLE_MS);
  try {
    const result = await action();
    sample();
    return { growthBytes: peakBytes - beforeBytes, result };
  } finally {
    clearInterval(sampling);
  }
}

async function expectAllReleased(): Promise<void> {
  await system.settled(customer);
  await until(async () => (await system.bills()) === 0);
  // Reading the metric does not count as a request.
  await until(async () => (await system.metric('edge', 'edge_requests_in_flight')) === 0);
  expect(await system.metric('edge', 'edge_quota_used')).toBe(0);
  expect(await system.drift()).toBe(0);
}

test(`${UPLOADS} concurrent edits of ${FILES * FILE_MIB} MB reach the provider unchanged, in little memory`, async () => {
  const form = { fields: { model: 'sim/image', prompt: 'A hat.' }, part: 'image[]' };
  const [warm] = await post('/v1/images/edits', { ...form, files: 2, bytes: small });
  expect(warm).toBe(200);
  const { calls } = await system.meter({ limit: 1 });
  const { growthBytes, result } = await growthWhile(() =>
    Promise.all(
      Array.from({ length: UPLOADS }, () =>
        post('/v1/images/edits', { ...form, files: FILES, bytes: large }),
      ),
    ),
  );
  expect(result.map(([status]) => status)).toEqual(Array(UPLOADS).fill(200));
  const { entries } = await system.meter({ limit: UPLOADS, after: calls });
  const sha256 = createHash('sha256').update(large).digest('hex');
  const upload = { bytes: large.length, sha256 };
  expect(entries.slice(-UPLOADS).map(({ media }) => media?.uploads)).toEqual(
    Array(UPLOADS).fill(Array(FILES).fill(expect.objectContaining(upload))),
  );
  await expectAllReleased();
  expect(growthBytes).toBeLessThan(MAX_GROWTH_BYTES);
});

test(`${UPLOADS} concurrent videos with ${FILES * FILE_MIB} MB of reference images are sent as base64, in little memory`, async () => {
  const form = { fields: { model: 'minimax/minimax-h3', prompt: 'A hat.' }, part: 'reference_images' };
  const create = (files: number, bytes: Buffer) =>
    post('/v1/videos/minimax/create', { ...form, files, bytes });
  await create(2, small);
  expect(received).toHaveLength(1);
  received = [];
  const { growthBytes, result } = await growthWhile(() =>
    Promise.all(Array.from({ length: UPLOADS }, () => create(FILES, large))),
  );
  expect(new Set(result.map(([status]) => status))).toEqual(new Set([502]));
  const base64Bytes = FILES * Math.ceil(large.length / 3) * 4;
  expect(received).toHaveLength(UPLOADS);
  for (const bytes of received) expect(bytes - base64Bytes).toBeGreaterThan(0);
  for (const bytes of received) expect(bytes - base64Bytes).toBeLessThan(2_000);
  await expectAllReleased();
  expect(growthBytes).toBeLessThan(MAX_GROWTH_BYTES);
});

test('clients that disconnect during an upload leave no file, connection, hold or provider call', async () => {
  const openFiles = () =>
    (['edge', 'media'] as const).map(
      (service) => readdirSync(`/proc/${system.stack.pid(service)}/fd`).length,
    );
  const before = openFiles();
  const { calls } = await system.meter({ limit: 1 });
  received = [];
  const ways: [string, LargeForm][] = [
    [
      '/v1/images/edits',
      { fields: { model: 'sim/image', prompt: 'A hat.' }, part: 'image', files: 1, bytes: small },
    ],
    [
      '/v1/videos/minimax/create',
      { fields: { model: 'minimax/minimax-h3', prompt: 'A hat.' }, part: 'image', files: 2, bytes: small },
    ],
  ];
  const leaving = ways.flatMap(([path, form]) =>
    [0, 0.0001, 0.3, 0.7, 0.99, 1].map((part) =>
      leaveLargeForm(`${system.stack.apiUrl}${path}`, customer.apiKey, form, part),
    ),
  );
  await Promise.all(leaving);
  await expectAllReleased();
  await until(() => openFiles().every((count, at) => count <= before[at]!));
  expect((await system.meter({ limit: 1 })).calls).toBe(calls);
  expect(received).toEqual([]);
});

test('accounts without money share a small part of the upload space and still get their responses', async () => {
  const unpaid = () => system.provision({ balanceUsd: 0 });
  const [poor, another, newcomer] = await Promise.all([unpaid(), unpaid(), unpaid()]);
  const url = `${system.stack.apiUrl}/v1/images/edits`;
  const of = (files: number): LargeForm => ({
    fields: { model: 'sim/image', prompt: 'A hat.' },
    part: 'image[]',
    files,
    bytes: large,
  });
  const refusals = () => system.metric('media', 'media_quota_refusals_total');
  const before = await refusals();
  const held = await Promise.all([poor, another].map(({ apiKey }) => holdLargeForm(url, apiKey, of(9))));
  // The last bytes of the held forms may still be in flight.
  await until(async () => {
    const [status, body] = await postLargeForm(url, newcomer.apiKey, of(2));
    return status === 429 && body.includes('rate_limited');
  });
  expect(await refusals()).toBeGreaterThan(before);
  expect((await postLargeForm(url, customer.apiKey, of(2)))[0]).toBe(200);
  expect(await Promise.all(held.map((form) => form.end()))).toEqual([402, 402]);
  expect((await postLargeForm(url, newcomer.apiKey, of(9)))[0]).toBe(402);
  await expectAllReleased();
});
