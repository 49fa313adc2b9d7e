import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLogger } from '@gateway/process';
import type { ProtoGrpcType } from '@gateway/proto/generated/chat';
import { afterEach, expect, test } from '@jest/globals';
import { callUnary, createGrpcClient, createGrpcClients } from './grpc-client';
import { startGrpcServer, unary } from './grpc-server';
import { loadService } from './load-service';
import { sharedSecret } from './trust/secret-trust';

const SECRET = 'a secret for tests only';
const { ChatService } = loadService<ProtoGrpcType>('chat').gateway.chat.v1;
const log = createLogger('grpc-proxy-test', 'silent');
const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

test.each(['grpc_proxy', 'https_proxy', 'http_proxy'])(
  'calls between services do not go through the proxy of %s, which would read their tokens',
  async (variable) => {
    let connects = 0;
    const proxy = http.createServer();
    proxy.on('connect', (_request, socket) => {
      connects += 1;
      socket.destroy();
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const former = process.env[variable];
    process.env[variable] = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    cleanUps.push(
      () => proxy.close(),
      () => {
        if (former === undefined) delete process.env[variable];
        else process.env[variable] = former;
      },
    );
    const server = await startGrpcServer({
      host: '127.0.0.1',
      port: 0,
      trust: sharedSecret('chat', SECRET),
      services: [
        {
          definition: { ListProviders: ChatService.service.ListProviders },
          handlers: { ListProviders: unary(log, async () => ({})) },
        },
      ],
    });
    cleanUps.push(() => server.stop(0));
    const options = {
      addresses: [`localhost:${server.port}`],
      trust: sharedSecret('dashboard', SECRET),
    };
    const spread = createGrpcClient(ChatService, options);
    const ofInstance = await new Promise<typeof spread>((resolve) => {
      const stop = createGrpcClients(ChatService, options).follow((client) => {
        resolve(client);
        return () => {};
      });
      cleanUps.push(stop);
    });
    cleanUps.push(
      () => spread.close(),
      () => ofInstance.close(),
    );
    for (const client of [spread, ofInstance])
      await expect(callUnary(client, client.ListProviders, {}, { timeoutMs: 3_000 })).resolves.toBeDefined();
    expect(connects).toBe(0);
  },
);
