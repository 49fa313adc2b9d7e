import { join } from 'node:path';

export const REPOSITORY = join(__dirname, '../../..');

/** Variables that the stack sets itself for the processes that need them, and variables that npm adds. */
const NOT_INHERITED =
  /^(npm_.*|.*_(API|ACCESS|SECRET)_KEY|.*_BASE_URL|(.*_)?DATABASE_URL|REDIS_.*|KAFKA_.*|KEY_PEPPER|JWT_SIGNING_KEY|SERVICE_SECRET.*|SIGNING_SECRET|GRPC_TLS_.*|STORAGE_KEY|CREDENTIALS?_.*|ADMIN_.*|.*_PORT|.*_ADDR|BIND_HOST|DATA_DIR|FILE_S3_.*|NODE_CHANNEL_.*)$/;

/** Returns the environment that every service process starts with. */
export function inheritedSettings(env: NodeJS.ProcessEnv): Record<string, string> {
  const inherited: Record<string, string> = {};
  for (const [name, value] of Object.entries({ PATH: process.env.PATH, HOME: process.env.HOME, ...env })) {
    if (value !== undefined && !NOT_INHERITED.test(name)) inherited[name] = value;
  }
  inherited.PUBLIC_API_URL ||= 'connection';
  // Compiled code is cached between starts, which halves the load time of a service.
  inherited.NODE_COMPILE_CACHE ??= join(REPOSITORY, 'node_modules/.cache/compiled');
  return inherited;
}

/** Returns the path of Node 24, on which the services run even if an older Node runs this process. */
export function node24(): string {
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath;
  return join(REPOSITORY, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin/node');
}
