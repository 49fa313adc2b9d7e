import type { GatewayError } from '@gateway/errors';
import { createLogger } from '@gateway/process';
import type { ProtoGrpcType } from '@gateway/proto/generated/chat';
import {
  createGrpcClients,
  type GrpcServer,
  loadService,
  type PeerInstances,
  sharedSecret,
  startGrpcServer,
} from '@gateway/rpc';
import { LinkPool, type LinkRequest, type RelayClient, type ReplySink } from './link-client';
import { LinkServer, type LinkServerOptions } from './link-server';
import type { LinkHandler } from './server-call';

const SECRET = 'a-secret-for-tests-only';
const { ChatService } = loadService<ProtoGrpcType>('chat').gateway.chat.v1;
export const log = createLogger('link-test', 'silent');

/** A link server on a gRPC server, for tests. */
export interface TestServer {
  readonly links: LinkServer;
  readonly server: GrpcServer;
  readonly address: string;
}

export async function startTestServer(
  handler: LinkHandler,
  port = 0,
  bodies?: LinkServerOptions['bodies'],
): Promise<TestServer> {
  const links = new LinkServer({ handler, log, ...(bodies && { bodies }) });
  const services = [{ definition: ChatService.service, handlers: { Relay: links.relay } }];
  const server = await startGrpcServer({
    host: '127.0.0.1',
    port,
    trust: sharedSecret('chat', SECRET),
    services,
  });
  return { links, server, address: `127.0.0.1:${server.port}` };
}

/** Returns a pool of links to the addresses and a function that closes it. */
export function connectPool(addresses: readonly string[]): { pool: LinkPool; close: () => void } {
  const instances = createGrpcClients(ChatService, { addresses, trust: sharedSecret('edge', SECRET) });
  const pool = new LinkPool({ name: 'test', instances, log });
  return { pool, close: () => pool.close() };
}

/** Returns a pool whose instances a test lists and removes. */
export function connectChangingPool() {
  let join: Parameters<PeerInstances<RelayClient>['follow']>[0] | undefined;
  const leaves = new Map<string, () => void>();
  const instances: PeerInstances<RelayClient> = {
    follow(given) {
      join = given;
      return () => {};
    },
  };
  const pool = new LinkPool({ name: 'test', instances, log });
  return {
    pool,
    add(address: string) {
      const of = createGrpcClients(ChatService, {
        addresses: [address],
        trust: sharedSecret('edge', SECRET),
      });
      of.follow((client, instance) => {
        leaves.set(address, join!(client, instance));
        return () => {};
      });
    },
    remove: (address: string) => leaves.get(address)?.(),
    close: () => pool.close(),
  };
}

let requests = 0;

export function request(body: Buffer | string = '', path = '/', timeoutMs = 10_000): LinkRequest {
  const key = { keyId: 'key-1', accountId: 'account-1' };
  const open = { requestId: `request-${++requests}`, method: 'POST', path, key, headers: [], timeoutMs };
  return { open, body: Buffer.from(body) };
}

/** Records what it receives and signals each event. */
export class RecordingSink implements ReplySink {
  status = 0;
  headers: Readonly<Record<string, string>> = {};
  readonly chunks: Buffer[] = [];
  error: GatewayError | undefined;
  ended = false;
  readonly over: Promise<void>;
  readonly onData: ((bytes: Buffer) => void) | undefined;
  #settle!: () => void;

  constructor(onData?: (bytes: Buffer) => void) {
    this.onData = onData;
    this.over = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  get bytes(): number {
    return this.chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  }

  get text(): string {
    return Buffer.concat(this.chunks).toString();
  }

  head(status: number, headers: Readonly<Record<string, string>>): void {
    this.status = status;
    this.headers = headers;
  }

  data(bytes: Buffer): void {
    this.chunks.push(bytes);
    this.onData?.(bytes);
  }

  end(): void {
    this.ended = true;
    this.#settle();
  }

  fail(error: GatewayError): void {
    this.error = error;
    this.#settle();
  }
}
