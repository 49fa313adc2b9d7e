import { GatewayError } from '@gateway/errors';
import type { Logger } from '@gateway/process';
import type { ProtoGrpcType } from '@gateway/proto/generated/billing';
import type { AccessLogEntry__Output } from '@gateway/proto/generated/gateway/billing/v1/AccessLogEntry';
import type { AppendAccessLogRequest__Output } from '@gateway/proto/generated/gateway/billing/v1/AppendAccessLogRequest';
import type { LeaseThrottleResponse } from '@gateway/proto/generated/gateway/billing/v1/LeaseThrottleResponse';
import type { RefusedCall__Output } from '@gateway/proto/generated/gateway/billing/v1/RefusedCall';
import type { ReportRefusalsRequest__Output } from '@gateway/proto/generated/gateway/billing/v1/ReportRefusalsRequest';
import type { ResolveKeyRequest__Output } from '@gateway/proto/generated/gateway/billing/v1/ResolveKeyRequest';
import type { ResolveKeyResponse } from '@gateway/proto/generated/gateway/billing/v1/ResolveKeyResponse';
import type { WatchKeysResponse } from '@gateway/proto/generated/gateway/billing/v1/WatchKeysResponse';
import { type GrpcServer, loadService, sharedSecret, startGrpcServer, unary } from '@gateway/rpc';
import { Metadata, type ServerWritableStream } from '@grpc/grpc-js';

type Watch = ServerWritableStream<unknown, WatchKeysResponse>;

/** Knows keys by value; everything else is `invalid_api_key`. */
export class FakeBilling {
  readonly keys = new Map<string, ResolveKeyResponse | GatewayError>();
  readonly watches = new Set<Watch>();
  readonly refused: RefusedCall__Output[] = [];
  readonly accessLog: AccessLogEntry__Output[] = [];
  resolveCount = 0;
  /** Off by default. */
  lease: LeaseThrottleResponse = { throttled: false, permits: 0, validMs: 1_000 };
  #server!: GrpcServer;

  static async start(secret: string, log: Logger, port = 0): Promise<FakeBilling> {
    const fake = new FakeBilling();
    const { BillingService } = loadService<ProtoGrpcType>('billing').gateway.billing.v1;
    const handlers = {
      ResolveKey: unary(log, async (_context, { key }: ResolveKeyRequest__Output) => {
        fake.resolveCount += 1;
        const known = fake.keys.get(key) ?? new GatewayError('invalid_api_key');
        if (known instanceof GatewayError) throw known;
        return known;
      }),
      ReportRefusals: unary(log, async (_context, { calls }: ReportRefusalsRequest__Output) => {
        fake.refused.push(...calls);
        return {};
      }),
      AppendAccessLog: unary(log, async (_context, { entries }: AppendAccessLogRequest__Output) => {
        fake.accessLog.push(...entries);
        return {};
      }),
      LeaseThrottle: unary(log, async () => fake.lease),
      WatchKeys: (stream: Watch) => {
        stream.sendMetadata(new Metadata());
        fake.watches.add(stream);
        stream.on('cancelled', () => fake.watches.delete(stream));
      },
    };
    const services = [{ definition: BillingService.service, handlers }];
    fake.#server = await startGrpcServer({
      host: '127.0.0.1',
      port,
      trust: sharedSecret('billing', secret),
      services,
    });
    return fake;
  }

  get address(): string {
    return `127.0.0.1:${this.#server.port}`;
  }

  push(message: WatchKeysResponse): void {
    for (const watch of this.watches) watch.write(message);
  }

  async stop(): Promise<void> {
    for (const watch of this.watches) watch.end();
    await this.#server.stop(0);
  }
}
