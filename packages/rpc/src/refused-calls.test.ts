import { once } from 'node:events';
import http2 from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { ProtoGrpcType } from '@gateway/proto/generated/chat';
import { expect, test } from '@jest/globals';
import { callUnary, createGrpcClient } from './grpc-client';
import { loadService } from './load-service';
import { sharedSecret } from './trust/secret-trust';

const REFUSALS = 3;
const { ChatService } = loadService<ProtoGrpcType>('chat').gateway.chat.v1;

test('a unary call that several stopping servers refuse is answered by the next one', async () => {
  let streams = 0;
  const server = http2.createServer();
  server.on('stream', (stream) => {
    streams += 1;
    stream.on('error', () => {});
    if (streams <= REFUSALS) {
      stream.close(http2.constants.NGHTTP2_REFUSED_STREAM);
      return;
    }
    stream.respond({ 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    // An empty message, without compression.
    stream.end(Buffer.alloc(5));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = createGrpcClient(ChatService, {
    addresses: [`127.0.0.1:${port}`],
    trust: sharedSecret('edge', 'a secret for tests only'),
  });
  try {
    const answer = await callUnary(client, client.ListProviders, {}, { timeoutMs: 5_000 });
    expect(answer).toBeDefined();
    expect(streams).toBe(REFUSALS + 1);
  } finally {
    client.close();
    server.close();
  }
});
