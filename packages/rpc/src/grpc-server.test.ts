import { createLogger, type Logger } from '@gateway/process';
import type { ProtoGrpcType } from '@gateway/proto/generated/chat';
import { expect, test } from '@jest/globals';
import { callUnary, createGrpcClient } from './grpc-client';
import { startGrpcServer, unary } from './grpc-server';
import { loadService } from './load-service';
import { sharedSecret } from './trust/secret-trust';

const { ChatService } = loadService<ProtoGrpcType>('chat').gateway.chat.v1;

test('a call of a caller that is not allowed is in the log, without its token, and a flood is one line', async () => {
  const lines: { fields: object; message: string }[] = [];
  const log = createLogger('grpc-server-test', 'silent');
  log.warn = ((fields: object, message: string) =>
    lines.push({ fields, message })) as unknown as Logger['warn'];
  const handlers = { ListProviders: unary(log, async () => ({})) };
  const server = await startGrpcServer({
    host: '127.0.0.1',
    port: 0,
    trust: sharedSecret('chat', 'the secret of the server'),
    log,
    services: [{ definition: { ListProviders: ChatService.service.ListProviders }, handlers }],
  });
  const client = createGrpcClient(ChatService, {
    addresses: [`127.0.0.1:${server.port}`],
    trust: sharedSecret('dashboard', 'another secret than that'),
  });
  try {
    for (let calls = 0; calls < 3; calls++)
      await expect(callUnary(client, client.ListProviders, {}, { timeoutMs: 5_000 })).rejects.toThrow();
    expect(lines).toEqual([
      {
        fields: {
          security: true,
          rpc: '/gateway.chat.v1.ChatService/ListProviders',
          address: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
          certificate: undefined,
          suppressed: 0,
        },
        message: 'caller not allowed',
      },
    ]);
  } finally {
    client.close();
    await server.stop(0);
  }
});
