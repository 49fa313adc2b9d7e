import { createLogger } from '@gateway/process';
import type { ProtoGrpcType } from '@gateway/proto/generated/chat';
import type { ListProvidersResponse } from '@gateway/proto/generated/gateway/common/v1/ListProvidersResponse';
import { afterEach, expect, test } from '@jest/globals';
import { callUnary, createGrpcClient } from '../grpc-client';
import { type GrpcServer, startGrpcServer, unary } from '../grpc-server';
import { loadService } from '../load-service';
import { sharedSecret } from '../trust/secret-trust';

const SECRET = 'a-secret-for-tests-only';
const CALLS = 8;
const { ChatService } = loadService<ProtoGrpcType>('chat').gateway.chat.v1;
const log = createLogger('membership-resolver-test', 'silent');
const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

/** Starts an instance that identifies itself by `windowSeconds`. */
async function startInstance(windowSeconds: number): Promise<GrpcServer> {
  const ListProviders = unary(log, async (): Promise<ListProvidersResponse> => ({ windowSeconds }));
  const definition = { ListProviders: ChatService.service.ListProviders };
  const services = [{ definition, handlers: { ListProviders } }];
  const server = await startGrpcServer({
    host: '127.0.0.1',
    port: 0,
    trust: sharedSecret('chat', SECRET),
    services,
  });
  cleanUps.push(() => server.stop(0));
  return server;
}

function connect(...addresses: string[]): () => Promise<number> {
  const client = createGrpcClient(ChatService, { addresses, trust: sharedSecret('dashboard', SECRET) });
  cleanUps.push(() => client.close());
  return async () => {
    const answer = await callUnary(client, client.ListProviders, {}, { timeoutMs: 10_000 });
    return answer?.windowSeconds ?? 0;
  };
}

async function answeredBy(call: () => Promise<number>): Promise<number[]> {
  const answers = new Set<number>();
  for (let calls = 0; calls < CALLS; calls++) answers.add(await call());
  return [...answers].sort();
}

test('spreads calls over all instances of a list of host names and IP addresses', async () => {
  const [one, two] = [await startInstance(1), await startInstance(2)];
  const call = connect(`localhost:${one.port}`, `127.0.0.1:${two.port}`);
  // Both connections are opened at once; either may be ready first.
  const instances = new Set<number>();
  while (instances.size < 2) instances.add(await call());
  expect([...instances].sort()).toEqual([1, 2]);
});

test('ignores unreachable and unresolvable instances while another one is reachable', async () => {
  const [stopped, running] = [await startInstance(1), await startInstance(2)];
  const call = connect('unknown.invalid:7102', `localhost:${stopped.port}`, `localhost:${running.port}`);
  await stopped.stop(0);
  expect(await answeredBy(call)).toEqual([2]);
});
