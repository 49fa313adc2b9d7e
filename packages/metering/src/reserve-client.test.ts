import { loadService } from '@gateway/proto';
import type { ProtoGrpcType } from '@gateway/proto/generated/billing';
import type { ReserveBatch__Output } from '@gateway/proto/generated/gateway/billing/v1/ReserveBatch';
import type { ReserveReplyBatch } from '@gateway/proto/generated/gateway/billing/v1/ReserveReplyBatch';
import { createGrpcClients, createLogger, type GrpcServer, startGrpcServer } from '@gateway/runtime';
import { Metadata, type ServerDuplexStream } from '@grpc/grpc-js';
import { afterEach, expect, test } from '@jest/globals';
import { ReserveClient } from './reserve-client';

const SECRET = 'a secret for tests only';
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
