import { type AddressInfo, createServer } from 'node:net';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { DATABASE_SERVICES, type StackOptions } from '@gateway/local-stack';
import { type Machine, readInstances } from './instances';

type StartSettings = Pick<
  StackOptions,
  'dataDir' | 'engines' | 'instances' | 'kafkaTopicPrefix' | 'settings'
>;

/** Reads the settings of `npm start` from the environment; reports every problem with the setting's name. */
export async function readStartSettings(
  env: NodeJS.ProcessEnv,
  defaultDataDir: string,
  machine: Machine = { cores: availableParallelism(), platform: process.platform },
): Promise<StartSettings> {
  const host = env.BIND_HOST || '127.0.0.1';
  const dataDir = resolve(env.GATEWAY_DATA_DIR || defaultDataDir);
  const instances = readInstances(env, dataDir, machine);
  const sharesPorts = (instances.edge ?? 1) > 1;
  const ports = {
    EDGE_API_PORT: readPort(env, 'EDGE_API_PORT', 8080),
    EDGE_DASHBOARD_PORT: readPort(env, 'EDGE_DASHBOARD_PORT', 8081),
  };
  for (const setting of ['EDGE_API_PORT', 'EDGE_DASHBOARD_PORT'] as const) {
    if (setting === 'EDGE_DASHBOARD_PORT' && env.EDGE_API_HOSTS) continue;
    const free = await freePort(ports[setting], host);
    if (free === undefined) {
      throw new Error(
        `${setting}: port ${ports[setting]} is in use. Set ${setting} to another port, or to 0 for any free port.`,
      );
    }
    // Each process would choose another one.
    if (sharesPorts) ports[setting] = free;
  }
  return {
    dataDir,
    instances,
    engines: {
      databaseUrl: env.DATABASE_URL || undefined,
      serviceDatabaseUrls: readServiceDatabaseUrls(env),
      redisUrl: env.REDIS_URL || undefined,
      redisSettings: settingsWith('REDIS_', env),
      kafkaBrokers: env.KAFKA_BROKERS || undefined,
      kafkaSettings: settingsWith('KAFKA_', env),
    },
    kafkaTopicPrefix: env.KAFKA_TOPIC_PREFIX ?? '',
    settings: {
      edge: {
        EDGE_API_PORT: String(ports.EDGE_API_PORT),
        EDGE_DASHBOARD_PORT: String(ports.EDGE_DASHBOARD_PORT),
        BIND_HOST: host,
        ...(sharesPorts && { EDGE_REUSE_PORT: 'on' }),
      },
      dashboard: publicApiUrl(env, ports.EDGE_API_PORT),
    },
  };
}

function settingsWith(prefix: string, env: NodeJS.ProcessEnv): Record<string, string> {
  const settings = Object.entries(env).filter(([name, value]) => name.startsWith(prefix) && value);
  return Object.fromEntries(settings) as Record<string, string>;
}

/** Reads `BILLING_DATABASE_URL` and so on: logins of the services' roles on the server of `DATABASE_URL`. */
function readServiceDatabaseUrls(env: NodeJS.ProcessEnv) {
  const urls = DATABASE_SERVICES.flatMap((service) => {
    const setting = `${service.toUpperCase()}_DATABASE_URL`;
    if (!env[setting]) return [];
    if (!env.DATABASE_URL)
      throw new Error(`${setting} requires DATABASE_URL, which is used to run the migrations.`);
    return [[service, env[setting]]];
  });
  return Object.fromEntries(urls) as Record<string, string>;
}

/** Returns the API's URL for code snippets in the web UI, unless it is configured or can't be derived from the port. */
function publicApiUrl(env: NodeJS.ProcessEnv, apiPort: number): Record<string, string> {
  if (env.PUBLIC_API_URL || env.EDGE_API_HOSTS || apiPort === 0) return {};
  return { PUBLIC_API_URL: `http://127.0.0.1:${apiPort}` };
}

function readPort(env: NodeJS.ProcessEnv, setting: string, defaultPort: number): number {
  const text = env[setting] || String(defaultPort);
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new Error(`${setting}: ${text} is not a port.`);
}

/** Returns the port if it is free, for 0 any free port; else undefined. */
function freePort(port: number, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined);
      else reject(new Error(`port ${port} on ${host}: ${error.message}`));
    });
    server.listen(port, host, () => {
      const { port: found } = server.address() as AddressInfo;
      server.close(() => resolve(found));
    });
  });
}
