import { GatewayError, loadService, toErrorDetail } from '@gateway/proto';
import type { ProtoGrpcType } from '@gateway/proto/generated/billing';
import type { ReserveBatch__Output } from '@gateway/proto/generated/gateway/billing/v1/ReserveBatch';
import type { ReserveReplyBatch } from '@gateway/proto/generated/gateway/billing/v1/ReserveReplyBatch';
import type { ReserveRequest__Output } from '@gateway/proto/generated/gateway/billing/v1/ReserveRequest';
import { createGrpcClients, createLogger, type GrpcServer, startGrpcServer } from '@gateway/runtime';
import { Metadata, type ServerDuplexStream } from '@grpc/grpc-js';
import { afterEach, describe, expect, test } from '@jest/globals';
import { ReserveClient } from './reserve-client';

const SECRET = 'a secret for tests only';
const REQUEST = { requestId: 'one', accountId: 'account' };
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

test('a call is new until the stream that it was asked on is lost', async () => {
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

describe('a call that is refused for what others keep until they are settled', () => {
  const REFUSAL = toErrorDetail(new GatewayError('insufficient_balance'));
  const refused = (requestId: string) => ({ requestId, refusal: REFUSAL, awaitsSettlement: true });

  test('is asked again, and granted when they are', async () => {
    const asked: ReserveRequest__Output[] = [];
    await reserveFrom((stream, { requests }) => {
      asked.push(...requests);
      const { requestId } = requests[0]!;
      stream.write({
        replies: [asked.length === 1 ? refused(requestId) : { requestId, grant: { holdNano: 7 } }],
      });
    });
    const { holdNano } = await reserves.reserve(REQUEST, { awaitSettlement: true });
    expect(holdNano).toBe('7');
    expect(asked).toMatchObject([
      { ...REQUEST, isNew: true },
      { ...REQUEST, isNew: true },
    ]);
  });

  test('is refused in the end', async () => {
    let asked = 0;
    await reserveFrom((stream, { requests }) => {
      asked += requests.length;
      stream.write({ replies: [refused(requests[0]!.requestId)] });
    });
    const reserved = reserves.reserve(REQUEST, { awaitSettlement: true });
    await expect(reserved).rejects.toMatchObject({ code: 'insufficient_balance' });
    expect(asked).toBe(3);
  });

  test('is not asked again where that is not said, and few are of one account at once', async () => {
    const asked = new Map<string, number>();
    await reserveFrom((stream, { requests }) => {
      for (const { requestId } of requests) asked.set(requestId, (asked.get(requestId) ?? 0) + 1);
      stream.write({ replies: requests.map(({ requestId }) => refused(requestId)) });
    });
    const codeOf = (request: typeof REQUEST, awaitSettlement: boolean) =>
      reserves.reserve(request, { awaitSettlement }).catch(({ code }: GatewayError) => code);
    const beside = Array.from({ length: 6 }, (_, i) => ({ ...REQUEST, requestId: `beside-${i}` }));
    const codes = await Promise.all([
      codeOf(REQUEST, false),
      ...beside.map((request) => codeOf(request, true)),
      codeOf({ requestId: 'elsewhere', accountId: 'another' }, true),
    ]);
    expect(new Set(codes)).toEqual(new Set(['insufficient_balance']));
    expect([...asked.values()]).toEqual([1, 3, 3, 3, 3, 1, 1, 3]);
  });
});
