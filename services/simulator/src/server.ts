import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import {
  closeServer,
  createMetrics,
  type Logger,
  listen,
  port,
  processSettings,
  type RunningService,
  readConfig,
  startAdminServer,
} from '@gateway/runtime';
import { Meter } from './domain/meter';
import { ReplyWriter } from './domain/reply';
import { O200kTokenizer } from './domain/tokenizer';
import { createHttpServer } from './http/http-server';
import { createOpenAi } from './providers/openai/openai';
import { createRouter } from './routes/router';

const DRAIN_MS = 2_000;
const METER_ENTRIES = 200_000;
const MAX_BODY_BYTES = 33 * 1024 * 1024;

export async function startSimulator(env: NodeJS.ProcessEnv, log: Logger): Promise<RunningService> {
  const config = readConfig({ ...processSettings, HTTP_PORT: port(7199) }, env);
  const server = createSimulator((error) => log.error({ err: error }, 'call failed'));
  const host = config.BIND_HOST;
  const http = await listen(server, config.HTTP_PORT, host);
  const admin = await startAdminServer({
    host,
    port: config.ADMIN_PORT,
    metrics: createMetrics(),
    checks: {},
  });
  return {
    ports: { http, admin: admin.port },
    async stop() {
      // A directive may hold a call for minutes; nobody waits for that at the end.
      const cut = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
      await closeServer(server);
      clearTimeout(cut);
      await admin.stop();
    },
  };
}

function createSimulator(onDefect: (error: unknown) => void): Server {
  const tokenizer = new O200kTokenizer();
  const meter = new Meter(METER_ENTRIES, Date.now);
  const openAi = createOpenAi({
    meter,
    tokenizer,
    replies: new ReplyWriter(tokenizer),
    newId: createIds(randomBytes(8).toString('hex')),
    nowMs: Date.now,
    maxBodyBytes: MAX_BODY_BYTES,
  });
  return createHttpServer(createRouter([openAi], meter), onDefect);
}

// A random start and a count: unique over processes, and cheaper than a random id for each call.
function createIds(prefix: string): () => string {
  let count = 0;
  return () => prefix + (++count).toString(16).padStart(16, '0');
}
