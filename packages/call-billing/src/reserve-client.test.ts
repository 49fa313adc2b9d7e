import { setImmediate } from 'node:timers/promises';
import { GatewayError } from '@gateway/errors';
import { createLogger } from '@gateway/process';
import type { ProtoGrpcType } from '@gateway/proto/generated/billing';
import type { ReserveBatch__Output } from '@gateway/proto/generated/gateway/billing/v1/ReserveBatch';
import type { ReserveReplyBatch } from '@gateway/proto/generated/gateway/billing/v1/ReserveReplyBatch';
import type { ReserveRequest__Output } from '@gateway/proto/generated/gateway/billing/v1/ReserveRequest';
import {
  createGrpcClients,
  type GrpcServer,
  loadService,
  startGrpcServer,
  toErrorDetail,
} from '@gateway/rpc';
import { Metadata, type ServerDuplexStream } from '@grpc/grpc-js';
import { afterEach, describe, expect, test } from '@jest/globals';
import { ReserveClient } from './reserve-client';

const SECRET = 'a secret for tests only';
const REQUEST = { requestId: 'one', keyId: 'key' };
const { BillingService } = loadService<ProtoGrpcType>('billing').gateway.billing.v1;
const { Reserve } = BillingService.service;

type Stream = ServerDuplexStream<ReserveBatch__Output, ReserveReplyBatch>;

let server: GrpcServer;
let clients: InstanceType<typeof BillingService>[];
let reserves: ReserveClient;
afterEach(async () => {
  reserves.close();
  for (const client of clients) client.close();
  await server.stop(0);
});

/** A client of a billing that treats its batches so. */
async function reserveFrom(onBatch: (stream: Stream, batch: ReserveBatch__Output) => void): Promise<void> {
  const handler = (stream: Stream) => {
    stream.sendMetadata(new Metadata());
    stream.on('error', () => {});
    stream.on('data', (batch: ReserveBatch__Output) => onBatch(stream, batch));
  };
  const binding = { definition: { Reserve }, handlers: { Reserve: handler }, callers: ['chat'] };
  server = await startGrpcServer({ host: '127.0.0.1', port: 0, secrets: [SECRET], services: [binding] });
  const addresses = [`127.0.0.1:${server.port}`];
  clients = createGrpcClients(BillingService, { addresses, secrets: [SECRET], caller: 'chat' });
  const log = createLogger('test', 'silent');
  reserves = new ReserveClient({ clients, log, timeoutMs: 10_000, onUnknownOutcome: () => {} });
}

test('a request is marked as new until the stream it was sent on is lost', async () => {
  const asked: boolean[] = [];
  await reserveFrom((stream, { requests }) => {
    asked.push(...requests.map(({ isNew }) => isNew));
    // The first answer is lost with its stream.
    if (asked.length === 1) stream.end();
    else stream.write({ replies: [{ requestId: requests[0]!.requestId, grant: { holdNano: 7 } }] });
  });
  const { holdNano } = await reserves.reserve({ requestId: 'one' });
  await reserves.reserve({ requestId: 'two' });
  expect(holdNano).toBe('7');
  expect(asked).toEqual([true, false, true]);
});

describe('a call that is refused because of holds awaiting settlement', () => {
  const refusal = (code: 'insufficient_balance' | 'tpm_rate_limited') =>
    toErrorDetail(new GatewayError(code, { retryAfterSeconds: 61 }));
  const REFUSED = { refusal: refusal('insufficient_balance'), awaitsSettlement: true };
  const FAILED = { refusal: toErrorDetail(new GatewayError('internal_error')) };
  const GRANTED = { grant: { holdNano: 7 } };

  /** Billing gives these answers to whichever requests, the last one for ever. Resolves to the calls that were asked for. */
  async function answering(...replies: object[]): Promise<ReserveRequest__Output[]> {
    const asked: ReserveRequest__Output[] = [];
    await reserveFrom((stream, { requests }) => {
      for (const request of requests) {
        const reply = replies[Math.min(asked.push(request), replies.length) - 1];
        stream.write({ replies: [{ requestId: request.requestId, ...reply }] });
      }
    });
    return asked;
  }
  const stays = new AbortController().signal;
  const outcome = (request = REQUEST, signal = stays) =>
    reserves.reserveSettled(request, signal).then(
      ({ holdNano }) => holdNano,
      ({ code }: GatewayError) => code,
    );

  test('is retried and granted once they are settled', async () => {
    const asked = await answering(REFUSED, REFUSED, GRANTED);
    expect(await outcome()).toBe('7');
    expect(asked).toMatchObject(Array(3).fill({ ...REQUEST, isNew: true }));
  });

  test('is refused when they are not settled in time', async () => {
    const asked = await answering(REFUSED);
    expect(await outcome()).toBe('insufficient_balance');
    expect(asked).toHaveLength(5);
  });

  test.each<[string, object[], number]>([
    [
      'the holds have ended and it is refused all the same',
      [REFUSED, { ...REFUSED, awaitsSettlement: false }],
      2,
    ],
    ['nothing awaits a settlement', [{ ...REFUSED, awaitsSettlement: false }], 1],
    ['nobody knows what became of it the second time', [REFUSED, FAILED], 2],
  ])('is not asked again where %s', async (_, replies, times) => {
    const asked = await answering(...replies);
    expect(await outcome()).toBe('insufficient_balance');
    expect(asked).toHaveLength(times);
  });

  test('is retried once when tokens are short, because they are returned just after a settlement', async () => {
    const asked = await answering({ refusal: refusal('tpm_rate_limited') });
    expect(await outcome()).toBe('tpm_rate_limited');
    expect(asked).toHaveLength(2);
  });

  test('is retried once when tokens are short although their hold has just ended', async () => {
    const short = { refusal: refusal('tpm_rate_limited') };
    const kept = { ...short, awaitsSettlement: true };
    const asked = await answering(kept, short, GRANTED);
    expect(await outcome()).toBe('7');
    expect(asked).toHaveLength(3);
  });

  test('is not retried twice when tokens are short', async () => {
    const short = { refusal: refusal('tpm_rate_limited') };
    const asked = await answering({ ...short, awaitsSettlement: true }, short);
    expect(await outcome()).toBe('tpm_rate_limited');
    expect(asked).toHaveLength(3);
  });

  test('is not retried when no hold awaits settlement', async () => {
    const asked = await answering(REFUSED);
    await expect(reserves.reserve(REQUEST)).rejects.toMatchObject({ code: 'insufficient_balance' });
    expect(asked).toHaveLength(1);
  });

  test('is not retried for a disconnected client, which frees its slot', async () => {
    const asked = await answering(...Array(5).fill(REFUSED), GRANTED);
    const caller = new AbortController();
    const left = Promise.all(
      Array.from({ length: 4 }, (_, i) => ({ ...REQUEST, requestId: `left-${i}` })).map((request) =>
        outcome(request, caller.signal),
      ),
    );
    while (asked.length < 4) await setImmediate();
    caller.abort();
    expect(await left).toEqual(Array(4).fill('insufficient_balance'));
    expect(asked).toHaveLength(4);
    expect(await outcome()).toBe('7');
  });

  test('only a few calls of one key wait at once', async () => {
    const asked = await answering(REFUSED);
    const beside = Array.from({ length: 6 }, (_, i) => ({ ...REQUEST, requestId: `beside-${i}` }));
    await Promise.all(
      [...beside, { requestId: 'elsewhere', keyId: 'another' }].map((request) => outcome(request)),
    );
    const times = Object.values(Object.groupBy(asked, ({ requestId }) => requestId)).map((of) => of?.length);
    expect(times).toEqual([5, 5, 5, 5, 1, 1, 5]);
  });
});
