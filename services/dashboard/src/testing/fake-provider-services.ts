import type { Logger } from '@gateway/process';
import type { ProtoGrpcType as ChatProto } from '@gateway/proto/generated/chat';
import type { ProbeProviderRequest__Output } from '@gateway/proto/generated/gateway/chat/v1/ProbeProviderRequest';
import type { ProbeProviderResponse } from '@gateway/proto/generated/gateway/chat/v1/ProbeProviderResponse';
import type { ListProvidersResponse } from '@gateway/proto/generated/gateway/common/v1/ListProvidersResponse';
import type { ProtoGrpcType as MediaProto } from '@gateway/proto/generated/media';
import { loadService, sharedSecret, startGrpcServer, unary } from '@gateway/rpc';

/** Chat and media in one process: both list the providers that a test sets, and chat answers a probe with what a test sets. */
export async function startFakeProviderServices(log: Logger, secret: string) {
  const listing: ListProvidersResponse = { providers: [], targets: [], windowSeconds: 300, credentials: [] };
  const probe = {
    answer: {
      credentialId: 'c',
      credentialName: 'main',
      latencyMs: 12,
      models: [{ id: 'Org/Model:7b', name: '', contextLength: 4_096, maxOutputTokens: 0 }],
    } as ProbeProviderResponse,
    requests: [] as ProbeProviderRequest__Output[],
  };
  const handlers = {
    ListProviders: unary(log, async () => listing),
    ProbeProvider: unary(log, async (_context, request: ProbeProviderRequest__Output) => {
      probe.requests.push(request);
      return probe.answer;
    }),
  };
  const { ChatService } = loadService<ChatProto>('chat').gateway.chat.v1;
  const { MediaService } = loadService<MediaProto>('media').gateway.media.v1;
  const server = await startGrpcServer({
    host: '127.0.0.1',
    port: 0,
    trust: sharedSecret('chat', secret),
    services: [ChatService.service, MediaService.service].map((definition) => ({
      definition,
      handlers,
    })),
  });
  return { address: `127.0.0.1:${server.port}`, listing, probe, stop: () => server.stop(0) };
}
