import { join } from 'node:path';

export const REPOSITORY = join(__dirname, '../../..');

/** What the stack itself hands to those that need it, and what npm adds. */
const NOT_INHERITED =
  /^(npm_.*|.*_(API|ACCESS|SECRET)_KEY|.*_BASE_URL|(.*_)?DATABASE_URL|REDIS_URL|KAFKA_.*|KEY_PEPPER|JWT_SIGNING_KEY|SERVICE_SECRET|ADMIN_.*|.*_PORT|.*_ADDR|BIND_HOST|DATA_DIR|NODE_CHANNEL_.*)$/;

/** The environment that every service process starts from. */
export function inheritedSettings(env: NodeJS.ProcessEnv): Record<string, string> {
  const inherited: Record<string, string> = {};
  for (const [name, value] of Object.entries({ PATH: process.env.PATH, HOME: process.env.HOME, ...env })) {
    if (value !== undefined && !NOT_INHERITED.test(name)) inherited[name] = value;
  }
  inherited.PUBLIC_API_URL ||= 'connection';
  // Compiled code is kept between starts, which halves the time to load a service.
  inherited.NODE_COMPILE_CACHE ??= join(REPOSITORY, 'node_modules/.cache/compiled');
  return inherited;
}

/** Services run on Node 24, whatever runs us. */
export function node24(): string {
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath;
  return join(REPOSITORY, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin/node');
}
