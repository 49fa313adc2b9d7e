import { type LinkCall, type LinkHandler, LinkServer } from '@gateway/link';
import type { Logger } from '@gateway/process';
import type { ProtoGrpcType as ChatProto } from '@gateway/proto/generated/chat';
import type { ListProvidersResponse } from '@gateway/proto/generated/gateway/common/v1/ListProvidersResponse';
import type { ProtoGrpcType as MediaProto } from '@gateway/proto/generated/media';
import { loadService, type RequestContext, startGrpcServer, unary } from '@gateway/rpc';

/** Chat and media in one: answers calls as the test says. */
export async function startFakeCarrier(log: Logger, secret: string) {
  const seen: { context: RequestContext; call: LinkCall }[] = [];
  const answering: { handler: LinkHandler } = {
    handler: async () => ({
      status: 200,
      headers: { 'content-type': 'application/json', 'x-ratelimit-limit-requests': '5', 'set-cookie': 'a=b' },
      body: Buffer.from('{"ok":true}'),
    }),
  };
  const link = new LinkServer({
    log,
    handler: (context, call) => {
      seen.push({ context, call });
      return answering.handler(context, call);
    },
  });
  /** What it tells of its providers, to whichever asks. */
  const listing: ListProvidersResponse = { providers: [], targets: [], windowSeconds: 300 };
  const handlers = { Relay: link.relay, ListProviders: unary(log, async () => listing) };
  const callers = ['dashboard'];
  const server = await startGrpcServer({
    host: '127.0.0.1',
    port: 0,
    secrets: [secret],
    services: [
      { definition: loadService<ChatProto>('chat').gateway.chat.v1.ChatService.service, handlers, callers },
      {
        definition: loadService<MediaProto>('media').gateway.media.v1.MediaService.service,
        handlers,
        callers,
      },
    ],
  });
  return {
    address: `127.0.0.1:${server.port}`,
    seen,
    answering,
    listing,
    async stop() {
      link.close();
      await server.stop(0);
    },
  };
}
