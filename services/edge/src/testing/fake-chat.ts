import { type LinkCall, type LinkHandler, LinkServer } from '@gateway/link';
import type { Logger } from '@gateway/process';
import type { ProtoGrpcType as ChatProto } from '@gateway/proto/generated/chat';
import type { ProtoGrpcType as MediaProto } from '@gateway/proto/generated/media';
import {
  type GrpcServer,
  loadService,
  type RequestContext,
  sharedSecret,
  startGrpcServer,
} from '@gateway/rpc';

const OK: LinkHandler = async () => {
  const body = Buffer.from('{"ok":true}');
  const headers = { 'content-type': 'application/json', 'content-length': String(body.length) };
  return { status: 200, headers, body };
};

/** Answers calls with the test's handler and records the last one. Stands for chat or media, which look the same to edge. */
export class FakeChat {
  handler: LinkHandler = OK;
  lastCall: { context: RequestContext; call: LinkCall } | undefined;
  callCount = 0;
  readonly links: LinkServer;
  #server!: GrpcServer;

  private constructor(log: Logger) {
    this.links = new LinkServer({
      log,
      handler: (context, call) => {
        this.callCount += 1;
        this.lastCall = { context, call };
        return this.handler(context, call);
      },
    });
  }

  static async start(
    secret: string,
    log: Logger,
    port = 0,
    name: 'chat' | 'media' = 'chat',
  ): Promise<FakeChat> {
    const fake = new FakeChat(log);
    const { service } =
      name === 'chat'
        ? loadService<ChatProto>('chat').gateway.chat.v1.ChatService
        : loadService<MediaProto>('media').gateway.media.v1.MediaService;
    const services = [{ definition: service, handlers: { Relay: fake.links.relay } }];
    fake.#server = await startGrpcServer({
      host: '127.0.0.1',
      port,
      trust: sharedSecret('chat', secret),
      services,
    });
    return fake;
  }

  get address(): string {
    return `127.0.0.1:${this.#server.port}`;
  }

  answerOk(): void {
    this.handler = OK;
  }

  /** Closes without a response, as a killed process does. */
  stop(): Promise<void> {
    return this.#server.stop(0);
  }
}
