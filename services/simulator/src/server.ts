import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import {
  closeServer,
  createMetrics,
  type Logger,
  listen,
  type RunningService,
  startAdminServer,
} from '@gateway/process';
import { Meter } from './domain/meter';
import { ReplyWriter } from './domain/reply';
import { TaskStore } from './domain/task-store';
import { O200kTokenizer } from './domain/tokenizer';
import { createHttpServer } from './http/http-server';
import { createAnthropic } from './providers/anthropic/anthropic';
import { createBfl } from './providers/bfl/bfl';
import { createCohere } from './providers/cohere/cohere';
import { createDashScope } from './providers/dashscope/dashscope';
import { createGemini } from './providers/gemini/gemini';
import { createKling } from './providers/kling/kling';
import { createMinimax } from './providers/minimax/minimax';
import { createCompatibleProvider, createOpenAi } from './providers/openai/openai';
import { COMPATIBLE_PROVIDERS } from './providers/openai/quirks';
import { mistralAudio } from './providers/openai/transcription';
import { createRouter } from './routes/router';
import { readSettings } from './settings';

const DRAIN_MS = 2_000;
const METER_ENTRIES = 200_000;
const TASK_LIMITS = { tasks: 10_000, chars: 50_000_000, ageMs: 24 * 3_600_000 };
const MAX_BODY_BYTES = 33 * 1024 * 1024;

/** @param nowMs the clock of tasks, result links and the meter */
export async function startSimulator(
  env: NodeJS.ProcessEnv,
  log: Logger,
  nowMs: () => number = Date.now,
): Promise<RunningService> {
  const settings = readSettings(env);
  const server = createSimulator(nowMs, settings.KLING_SECRET_KEY, (error) =>
    log.error({ err: error }, 'call failed'),
  );
  const host = settings.BIND_HOST;
  const http = await listen(server, settings.HTTP_PORT, host);
  const admin = await startAdminServer({
    host,
    port: settings.ADMIN_PORT,
    metrics: createMetrics(),
    checks: {},
  });
  return {
    ports: { http, admin: admin.port },
    async stop() {
      // A directive may delay a call for minutes, which the shutdown does not wait for.
      const cut = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
      await closeServer(server);
      clearTimeout(cut);
      await admin.stop();
    },
  };
}

function createSimulator(
  nowMs: () => number,
  klingSecret: string,
  onError: (error: unknown) => void,
): Server {
  const tokenizer = new O200kTokenizer();
  const meter = new Meter(METER_ENTRIES, nowMs);
  const deps = {
    meter,
    tasks: new TaskStore(meter, nowMs, TASK_LIMITS),
    tokenizer,
    replies: new ReplyWriter(tokenizer),
    newId: createIds(randomBytes(8).toString('hex')),
    nowMs,
    maxBodyBytes: MAX_BODY_BYTES,
  };
  return createHttpServer(
    createRouter(
      [
        createOpenAi(deps),
        createAnthropic(deps),
        createGemini(deps),
        createCohere(deps),
        createBfl(deps),
        createMinimax(deps),
        createKling(deps, klingSecret),
        createDashScope(deps),
        ...Object.entries(COMPATIBLE_PROVIDERS).map(([name, quirks]) =>
          createCompatibleProvider(name, quirks, deps, quirks.mistralFormat ? mistralAudio(deps) : {}),
        ),
      ],
      deps,
    ),
    onError,
  );
}

// A random prefix and a counter: unique across processes, and cheaper than a random id for each call.
function createIds(prefix: string): () => string {
  let count = 0;
  return () => prefix + (++count).toString(16).padStart(16, '0');
}
