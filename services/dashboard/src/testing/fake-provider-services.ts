import type { Logger } from '@gateway/process';
import type { ProtoGrpcType as ChatProto } from '@gateway/proto/generated/chat';
import type { ListProvidersResponse } from '@gateway/proto/generated/gateway/common/v1/ListProvidersResponse';
import type { ProtoGrpcType as MediaProto } from '@gateway/proto/generated/media';
import { loadService, startGrpcServer, unary } from '@gateway/rpc';

/** Chat and media in one process: both list the providers that a test sets. */
export async function startFakeProviderServices(log: Logger, secret: string) {
  const listing: ListProvidersResponse = { providers: [], targets: [], windowSeconds: 300 };
  const handlers = { ListProviders: unary(log, async () => listing) };
  const { ChatService } = loadService<ChatProto>('chat').gateway.chat.v1;
  const { MediaService } = loadService<MediaProto>('media').gateway.media.v1;
  const server = await startGrpcServer({
    host: '127.0.0.1',
    port: 0,
    secrets: [secret],
    services: [ChatService.service, MediaService.service].map((definition) => ({
      definition,
      handlers,
      callers: ['dashboard'],
    })),
  });
  return { address: `127.0.0.1:${server.port}`, listing, stop: () => server.stop(0) };
}
