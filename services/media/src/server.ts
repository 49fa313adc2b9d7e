import { loadService } from '@gateway/proto';
import type { ProtoGrpcType as MediaProto } from '@gateway/proto/generated/media';
import {
  createMetrics,
  LinkServer,
  type Logger,
  type RunningService,
  startAdminServer,
  startGrpcServer,
} from '@gateway/runtime';
import { createProviders } from './providers/registry';
import { UpstreamHttp } from './providers/upstream-http';
import { routeCall } from './rpc/route-call';
import { readSettings } from './settings';

export async function startMedia(env: NodeJS.ProcessEnv, log: Logger): Promise<RunningService> {
  const settings = readSettings(env);
  const upstream = new UpstreamHttp();
  createProviders(settings, env, upstream);
  const link = new LinkServer({ log, handler: routeCall() });

  const { MediaService } = loadService<MediaProto>('media').gateway.media.v1;
  const grpc = await startGrpcServer({
    host: settings.BIND_HOST,
    port: settings.GRPC_PORT,
    secrets: settings.SERVICE_SECRET,
    services: [
      { definition: MediaService.service, handlers: { Relay: link.relay }, callers: ['edge', 'dashboard'] },
    ],
  });
  const admin = await startAdminServer({
    host: settings.BIND_HOST,
    port: settings.ADMIN_PORT,
    metrics: createMetrics(),
    checks: {},
  });

  return {
    ports: { grpc: grpc.port, admin: admin.port },
    async stop() {
      const late = new Promise((resolve) => setTimeout(resolve, settings.DRAIN_TIMEOUT_MS).unref());
      await Promise.race([link.drain(), late]);
      link.close();
      await grpc.stop(1_000);
      await upstream.close();
      await admin.stop();
    },
  };
}
