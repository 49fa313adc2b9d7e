import { globSync } from 'node:fs';
import type { ServiceName } from '@gateway/local-stack';

/**
 * `share`: the part of the machine's cores that a service needs, which is its part of the CPU of a call (`npm run bench -- --only
 * plain`); the rest is PostgreSQL's. A process uses about one core. More than `most` would only compete for PostgreSQL.
 */
const DEFAULTS: Partial<Record<ServiceName, { readonly share: number; readonly most: number }>> = {
  edge: { share: 0.2, most: 8 },
  chat: { share: 0.45, most: 16 },
  billing: { share: 0.15, most: 4 },
};
const MAX_INSTANCES = 64;

/** Services that `npm start` can run several times, and their settings. */
const SETTINGS = {
  edge: 'EDGE_INSTANCES',
  chat: 'CHAT_INSTANCES',
  billing: 'BILLING_INSTANCES',
  media: 'MEDIA_INSTANCES',
  storage: 'STORAGE_INSTANCES',
} as const;
type ScaledService = keyof typeof SETTINGS;

export interface Machine {
  readonly cores: number;
  readonly platform: NodeJS.Platform;
}

/**
 * Returns how many processes of each service to start: the settings, else enough for all cores.
 * @throws Error for a setting that is not a number from 1 to 64, and for several edges on a system where they can't share a port
 */
export function readInstances(
  env: NodeJS.ProcessEnv,
  dataDir: string,
  { cores, platform }: Machine,
): Partial<Record<ServiceName, number>> {
  const chosen = Object.entries(SETTINGS).map(([service, setting]) => {
    const given = readCount(env, setting);
    return [service, given ?? defaultCount(service as ScaledService, cores, platform)] as const;
  });
  const instances = Object.fromEntries(chosen) as Record<ScaledService, number>;
  if (instances.edge > 1 && platform !== 'linux') {
    throw new Error(`${SETTINGS.edge}: several processes can share a port on Linux only.`);
  }
  return { ...instances, chat: Math.max(instances.chat, unfinishedJournals(dataDir)) };
}

function readCount(env: NodeJS.ProcessEnv, setting: string): number | undefined {
  const text = env[setting];
  if (!text) return undefined;
  const count = Number(text);
  if (/^\d+$/.test(text) && count >= 1 && count <= MAX_INSTANCES) return count;
  throw new Error(`${setting}: ${text} is not a number from 1 to ${MAX_INSTANCES}.`);
}

function defaultCount(service: ScaledService, cores: number, platform: NodeJS.Platform): number {
  const scaled = DEFAULTS[service];
  if (!scaled || (service === 'edge' && platform !== 'linux')) return 1;
  return Math.min(scaled.most, Math.ceil(cores * scaled.share));
}

/**
 * Returns how many instances of chat it takes to deliver the usage in their journals: one that has delivered everything leaves
 * no segments when it stops.
 */
function unfinishedJournals(dataDir: string): number {
  const segments = globSync('chat-*/journal/*.journal', { cwd: dataDir });
  return Math.max(0, ...segments.map((path) => Number(/\d+/.exec(path)) + 1));
}
