import { isIP } from 'node:net';
import { type Credentials, readPassword, readTlsFiles, type TlsFiles } from '@gateway/process';
import type { RedisAddress } from './redis-settings';

const CONNECT_TIMEOUT_MS = 2_000;
const RECONNECT_MAX_MS = 500;
/** A silent server is reconnected to after this time; it is pinged more often. */
const SILENCE_MS = 3_000;
const PING_INTERVAL_MS = 1_000;
const MAX_QUEUED = 20_000;

export interface RedisClientOptions {
  readonly address: RedisAddress;
  readonly credentials: Credentials;
  readonly tls?: TlsFiles | undefined;
  readonly database?: number;
}

export type RedisClient = Awaited<ReturnType<typeof createRedisClient>>;

/**
 * Returns a client that keeps reconnecting; commands fail immediately while it is not connected. The password of a file is
 * read for each connection, certificates once.
 */
export async function createRedisClient({ address, credentials, tls, database }: RedisClientOptions) {
  // Its command tables take 30 MB, which a process without Redis saves.
  const { createClient } = await import('redis');
  return createClient({
    // Replies to raw commands are the same from every version.
    RESP: 2,
    disableOfflineQueue: true,
    commandsQueueMaxLength: MAX_QUEUED,
    pingInterval: PING_INTERVAL_MS,
    ...(database && { database }),
    credentialsProvider: {
      type: 'async-credentials-provider',
      credentials: async () => loginOf(credentials),
    },
    socket: {
      ...address,
      ...(tls && {
        tls: true,
        ...readTlsFiles(tls),
        ...(!isIP(address.host) && { servername: address.host }),
      }),
      connectTimeout: CONNECT_TIMEOUT_MS,
      socketTimeout: SILENCE_MS,
      reconnectStrategy: (retries) => Math.min(RECONNECT_MAX_MS, 50 * 2 ** Math.min(retries, 10)),
    },
  });
}

function loginOf(credentials: Credentials) {
  const password = readPassword(credentials);
  if (password === undefined) return {};
  return { password, ...(credentials.username !== undefined && { username: credentials.username }) };
}
