import { createLogger, type Logger } from './log';
import { SettingsError } from './settings';
import { stopInTime } from './stop-in-time';

/** A started service: the ports it listens on and how to stop it. */
export interface RunningService {
  readonly ports: Readonly<Record<string, number>>;
  /** Drains in-flight work, then releases every resource. Must not reject. */
  stop(): Promise<void>;
  /** Limit for `stop`, draining included; the process exits when it is exceeded. Default: 15 s. */
  readonly stopTimeoutMs?: number;
}

/** Messages that a supervised process sends to its parent over the IPC channel. */
export type ServiceMessage =
  | { type: 'ready'; ports: Record<string, number> }
  /** The process received a signal to stop and waits for the parent's `stop`. */
  | { type: 'signal' };

/** Messages from the parent. */
export interface SupervisorMessage {
  type: 'stop';
}

/**
 * Runs a service process: start, report ready, stop on SIGTERM or SIGINT, exit. Under a supervisor (an IPC channel)
 * signals are forwarded to the parent, because Ctrl-C reaches the whole process group at once and the supervisor decides
 * the order in which services stop. The process also stops when its supervisor exits.
 */
export async function runService(
  name: string,
  start: (env: NodeJS.ProcessEnv, log: Logger) => Promise<RunningService>,
): Promise<void> {
  const log = createLogger(name, process.env.LOG_LEVEL ?? 'info');
  process.on('uncaughtException', (error) => die(log, error, 'uncaught exception'));
  process.on('unhandledRejection', (error) => die(log, error, 'unhandled rejection'));

  let service: RunningService;
  try {
    service = await start(process.env, log);
  } catch (error) {
    if (error instanceof SettingsError) {
      process.stderr.write(`${name}: ${error.message}\n`);
      process.exit(2);
    }
    return die(log, error, 'start failed');
  }

  let stopping = false;
  const stop = async (reason: string) => {
    if (stopping) return;
    stopping = true;
    log.info({ reason }, 'stopping');
    await stopInTime(service).catch((error) => die(log, error, 'stop failed'));
    log.info('stopped');
    process.exit(0);
  };
  if (process.send) superviseBy(process.send.bind(process), stop);
  else for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(signal));
  log.info({ ports: service.ports }, 'ready');
  process.send?.({ type: 'ready', ports: { ...service.ports } } satisfies ServiceMessage);
}

function superviseBy(send: (message: ServiceMessage) => boolean, stop: (reason: string) => Promise<void>) {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (process.connected) send({ type: 'signal' });
    });
  }
  process.on('message', (message: SupervisorMessage) => {
    if (message.type === 'stop') void stop('supervisor');
  });
  process.on('disconnect', () => void stop('supervisor disconnected'));
}

function die(log: Logger, error: unknown, what: string): never {
  log.fatal({ err: error }, what);
  process.exit(1);
}
