import { setImmediate } from 'node:timers/promises';
import { GatewayError } from '@gateway/errors';
import { createLogger } from '@gateway/process';
import type { ProtoGrpcType } from '@gateway/proto/generated/billing';
import type { ReserveBatch__Output } from '@gateway/proto/generated/gateway/billing/v1/ReserveBatch';
import type { ReserveReplyBatch } from '@gateway/proto/generated/gateway/billing/v1/ReserveReplyBatch';
import type {
  ReserveRequest,
  ReserveRequest__Output,
} from '@gateway/proto/generated/gateway/billing/v1/ReserveRequest';
import {
  createGrpcClients,
  type GrpcServer,
  loadService,
  sharedSecret,
  startGrpcServer,
  toErrorDetail,
} from '@gateway/rpc';
import { freePort } from '@gateway/testing';
import { Metadata, type ServerDuplexStream } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { ReserveClient } from './reserve-client';

const SECRET = 'a secret for tests only';
const REQUEST = { requestId: 'one', keyId: 'key' };
const { BillingService } = loadService<ProtoGrpcType>('billing').gateway.billing.v1;
const { Reserve } = BillingService.service;

type Stream = ServerDuplexStream<ReserveBatch__Output, ReserveReplyBatch>;

let server: GrpcServer | undefined;
let reserves: ReserveClient;
let unknownOutcomes: unknown[];
beforeEach(() => {
  unknownOutcomes = [];
});
afterEach(async () => {
  reserves.close();
  await server?.stop(0);
  server = undefined;
});

/** Creates a client of a billing that handles batches with `onBatch`. */
async function reserveFrom(
  onBatch: (stream: Stream, batch: ReserveBatch__Output) => void,
  timeoutMs = 10_000,
): Promise<void> {
  const handler = (stream: Stream) => {
    stream.sendMetadata(new Metadata());
    stream.on('error', () => {});
    stream.on('data', (batch: ReserveBatch__Output) => onBatch(stream, batch));
  };
  const binding = { definition: { Reserve }, handlers: { Reserve: handler } };
  server = await startGrpcServer({
    host: '127.0.0.1',
    port: 0,
    trust: sharedSecret('billing', SECRET),
    services: [binding],
  });
  connect(server.port, timeoutMs);
}

function connect(port: number, timeoutMs: number): void {
  const addresses = [`127.0.0.1:${port}`];
  const instances = createGrpcClients(BillingService, { addresses, trust: sharedSecret('chat', SECRET) });
  const log = createLogger('test', 'silent');
  const onUnknownOutcome = ({ requestId }: ReserveRequest) => unknownOutcomes.push(requestId);
  reserves = new ReserveClient({ instances, log, timeoutMs, onUnknownOutcome });
}

test('marks a request as new until the stream it was sent on is lost', async () => {
  const received: boolean[] = [];
  await reserveFrom((stream, { requests }) => {
    received.push(...requests.map(({ isNew }) => isNew));
    // The stream of the first request ends without an answer.
    if (received.length === 1) stream.end();
    else stream.write({ replies: [{ requestId: requests[0]!.requestId, grant: { holdNano: 7 } }] });
  });
  const { holdNano } = await reserves.reserve({ requestId: 'one' });
  await reserves.reserve({ requestId: 'two' });
  expect(holdNano).toBe('7');
  expect(received).toEqual([true, false, true]);
});

describe('the outcome of a reservation that fails', () => {
  const failed = { refusal: toErrorDetail(new GatewayError('internal_error')) };
  const fail = (request: ReserveRequest) =>
    expect(reserves.reserve(request)).rejects.toMatchObject({ code: 'internal_error' });

  test('is known if billing could not be reached: nothing is reserved', async () => {
    connect(await freePort(), 100);
    await fail(REQUEST);
    expect(unknownOutcomes).toEqual([]);
  });

  test('is unknown if the stream that it was sent on is lost and there is no other', async () => {
    await reserveFrom(() => void server?.stop(0), 1_000);
    await fail(REQUEST);
    expect(unknownOutcomes).toEqual(['one']);
  });

  test('is unknown if billing fails, except for a free call, which has no hold', async () => {
    await reserveFrom((stream, { requests: [request] }) => {
      stream.write({ replies: [{ requestId: request!.requestId, ...failed }] });
    });
    await fail({ ...REQUEST, free: true });
    expect(unknownOutcomes).toEqual([]);
    await fail(REQUEST);
    expect(unknownOutcomes).toEqual(['one']);
  });
});

describe('a reservation that is refused because of holds awaiting settlement', () => {
  const refusal = (code: 'insufficient_balance' | 'tpm_rate_limited') =>
    toErrorDetail(new GatewayError(code, { retryAfterSeconds: 61 }));
  const REFUSED = { refusal: refusal('insufficient_balance'), awaitsSettlement: true };
  const FAILED = { refusal: toErrorDetail(new GatewayError('internal_error')) };
  const GRANTED = { grant: { holdNano: 7 } };

  /** Lets billing answer requests with these replies in order, repeating the last one. Resolves to the received requests. */
  async function answering(...replies: object[]): Promise<ReserveRequest__Output[]> {
    const received: ReserveRequest__Output[] = [];
    await reserveFrom((stream, { requests }) => {
      for (const request of requests) {
        const reply = replies[Math.min(received.push(request), replies.length) - 1];
        stream.write({ replies: [{ requestId: request.requestId, ...reply }] });
      }
    });
    return received;
  }
  const connected = new AbortController().signal;
  const outcome = (request = REQUEST, signal = connected) =>
    reserves.reserveWithSettlementRetries(request, signal).then(
      ({ holdNano }) => holdNano,
      ({ code }: GatewayError) => code,
    );

  test('is retried until the holds are settled, and granted', async () => {
    const received = await answering(REFUSED, REFUSED, GRANTED);
    expect(await outcome()).toBe('7');
    expect(received).toMatchObject(Array(3).fill({ ...REQUEST, isNew: true }));
  });

  test('is refused when the holds are not settled in time', async () => {
    const received = await answering(REFUSED);
    expect(await outcome()).toBe('insufficient_balance');
    expect(received).toHaveLength(5);
  });

  test.each<[string, object[], number]>([
    [
      'it is refused again although the holds are settled',
      [REFUSED, { ...REFUSED, awaitsSettlement: false }],
      2,
    ],
    ['no hold awaits settlement', [{ ...REFUSED, awaitsSettlement: false }], 1],
    ['the outcome of the second attempt is unknown', [REFUSED, FAILED], 2],
  ])('is not retried any further when %s', async (_, replies, times) => {
    const received = await answering(...replies);
    expect(await outcome()).toBe('insufficient_balance');
    expect(received).toHaveLength(times);
  });

  test('is retried once when TPM tokens are insufficient, because they are returned just after settlement', async () => {
    const received = await answering({ refusal: refusal('tpm_rate_limited') });
    expect(await outcome()).toBe('tpm_rate_limited');
    expect(received).toHaveLength(2);
  });

  test('is retried once more when TPM tokens are insufficient although their hold has just been settled', async () => {
    const short = { refusal: refusal('tpm_rate_limited') };
    const received = await answering({ ...short, awaitsSettlement: true }, short, GRANTED);
    expect(await outcome()).toBe('7');
    expect(received).toHaveLength(3);
  });

  test('is not retried a third time when TPM tokens are insufficient', async () => {
    const short = { refusal: refusal('tpm_rate_limited') };
    const received = await answering({ ...short, awaitsSettlement: true }, short);
    expect(await outcome()).toBe('tpm_rate_limited');
    expect(received).toHaveLength(3);
  });

  test('is not retried by reserve, which does not wait for settlement', async () => {
    const received = await answering(REFUSED);
    await expect(reserves.reserve(REQUEST)).rejects.toMatchObject({ code: 'insufficient_balance' });
    expect(received).toHaveLength(1);
  });

  test('is not retried after its client has disconnected, and frees its slot for other calls of the key', async () => {
    const received = await answering(...Array(5).fill(REFUSED), GRANTED);
    const client = new AbortController();
    const abandoned = Promise.all(
      Array.from({ length: 4 }, (_, i) => ({ ...REQUEST, requestId: `abandoned-${i}` })).map((request) =>
        outcome(request, client.signal),
      ),
    );
    while (received.length < 4) await setImmediate();
    client.abort();
    expect(await abandoned).toEqual(Array(4).fill('insufficient_balance'));
    expect(received).toHaveLength(4);
    expect(await outcome()).toBe('7');
  });

  test('is not retried when four calls of its key are already waiting', async () => {
    const received = await answering(REFUSED);
    const ofOneKey = Array.from({ length: 6 }, (_, i) => ({ ...REQUEST, requestId: `concurrent-${i}` }));
    await Promise.all(
      [...ofOneKey, { requestId: 'other-key', keyId: 'another' }].map((request) => outcome(request)),
    );
    const times = Object.values(Object.groupBy(received, ({ requestId }) => requestId)).map(
      (of) => of?.length,
    );
    expect(times).toEqual([5, 5, 5, 5, 1, 1, 5]);
  });
});
