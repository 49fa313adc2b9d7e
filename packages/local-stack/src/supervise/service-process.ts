import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceMessage, SupervisorMessage } from '@gateway/process';
import { lastLines, openLog } from './log-file';

export interface ServiceProcessOptions {
  /** For messages: `billing`, or `billing-1` for a second instance. */
  readonly name: string;
  /** Command that runs the program given as its arguments, without a process of its own; empty for none. */
  readonly commandPrefix?: readonly string[] | undefined;
  readonly nodePath: string;
  readonly nodeFlags: readonly string[];
  /** Read at each start. */
  readonly script: () => string;
  readonly env: Readonly<Record<string, string>>;
  /** Setting for each reported port, so that a restarted process listens on the same ports. */
  readonly portSettings: Readonly<Record<string, string>>;
  readonly logFile: string;
  readonly autoRestart: boolean;
  readonly log: (message: string) => void;
  /** Called when it has crashed too often and is no longer restarted. */
  readonly onGiveUp: (error: Error) => void;
}

const LOOPBACK = '127.0.0.1';
const EVERY_ADDRESS = ['0.0.0.0', '::'];
const START_TIMEOUT_MS = 30_000;
const FIRST_RESTART_DELAY_MS = 100;
const MAX_RESTART_DELAY_MS = 5_000;
/** A process that has run for this long restarts without back-off. */
const STABLE_AFTER_MS = 30_000;
const MAX_RESTARTS_IN_A_ROW = 12;
/** If a signal was sent to the whole process group, this process receives it too within this time. */
const GROUP_SIGNAL_MS = 500;
const SINGLE_STOP_TIMEOUT_MS = 16_000;

/** One service process and its restarts. */
export class ServiceProcess {
  readonly #options: ServiceProcessOptions;
  #child: ChildProcess | undefined;
  #exit: Promise<void> = Promise.resolve();
  #ports: Readonly<Record<string, number>> = {};
  #ready = false;
  #wanted = false;
  #restartsInARow = 0;
  #stopWaiting = new AbortController();

  constructor(options: ServiceProcessOptions) {
    this.#options = options;
  }

  get name(): string {
    return this.#options.name;
  }

  /** Undefined while it is down. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Where this machine reaches it. */
  get host(): string {
    const host = this.#options.env.BIND_HOST ?? LOOPBACK;
    return EVERY_ADDRESS.includes(host) ? LOOPBACK : host;
  }

  get ports(): Readonly<Record<string, number>> {
    return this.#ports;
  }

  /** Whether it is running and has reported ready. */
  get ready(): boolean {
    return this.#ready;
  }

  /** Starts it and resolves when it is ready; rejects with the end of its log if it exits before. */
  async start(): Promise<void> {
    this.#wanted = true;
    this.#restartsInARow = 0;
    this.#stopWaiting = new AbortController();
    await this.#launch();
  }

  /** Stops it gracefully, and kills it after the timeout. Resolves when it has exited. */
  async stop(timeoutMs: number): Promise<void> {
    this.#wanted = false;
    this.#stopWaiting.abort();
    await this.#end(timeoutMs);
  }

  /** Sends a signal. After SIGKILL, resolves when it has exited; a restart is then in progress. */
  async kill(signal: NodeJS.Signals): Promise<void> {
    // Requested, so it does not count as a crash.
    this.#restartsInARow = 0;
    const exit = this.#exit;
    this.#child?.kill(signal);
    if (signal === 'SIGKILL') await exit;
  }

  async #end(timeoutMs: number): Promise<void> {
    const child = this.#child;
    if (!child) return;
    if (child.connected) child.send({ type: 'stop' } satisfies SupervisorMessage, () => {});
    const force = setTimeout(() => {
      if (timeoutMs > 0) this.#options.log(`${this.name} did not stop in time and was killed`);
      child.kill('SIGKILL');
    }, timeoutMs);
    await this.#exit;
    clearTimeout(force);
  }

  async #launch(): Promise<void> {
    const startedAtMs = Date.now();
    const child = this.#spawn();
    this.#child = child;
    let ready: (ports: Readonly<Record<string, number>>) => void = () => {};
    const becameReady = new Promise<Readonly<Record<string, number>>>((resolve) => {
      ready = resolve;
    });
    this.#exit = new Promise((resolve) => {
      // 'exit' may never be emitted if the program could not be run at all.
      for (const event of ['exit', 'error'] as const) child.once(event, () => resolve());
    });
    const exited = this.#exit.then(() => {
      this.#child = undefined;
      this.#ready = false;
    });
    this.#exit = exited;
    child.on('message', (message: ServiceMessage) => {
      if (message.type === 'ready') ready(message.ports);
      else void this.#onSignal(child);
    });
    const late = new AbortController();
    const ports = await Promise.race([
      becameReady,
      exited.then(() => undefined),
      sleep(START_TIMEOUT_MS, undefined, { signal: late.signal }).catch(() => undefined),
    ]);
    late.abort();
    if (!ports) {
      child.kill('SIGKILL');
      await exited;
      throw this.#startError(child, Date.now() - startedAtMs);
    }
    this.#ports = ports;
    this.#ready = true;
    void exited.then(() => this.#onEnd(child, startedAtMs));
  }

  #spawn(): ChildProcess {
    const { commandPrefix = [], nodePath, nodeFlags, script, env, portSettings, logFile } = this.#options;
    const pinned = Object.entries(this.#ports).flatMap(([port, value]) => {
      const setting = portSettings[port];
      return setting ? [[setting, String(value)]] : [];
    });
    const [command = nodePath, ...args] = [...commandPrefix, nodePath, ...nodeFlags, script()];
    const log = openLog(logFile);
    try {
      return spawn(command, args, {
        env: { ...env, ...Object.fromEntries(pinned) },
        stdio: ['ignore', log, log, 'ipc'],
      });
    } finally {
      closeSync(log);
    }
  }

  async #onSignal(child: ChildProcess): Promise<void> {
    await sleep(GROUP_SIGNAL_MS);
    // Only this process was signalled: it stops, and is restarted as after a crash.
    if (this.#wanted && this.#child === child) await this.#end(SINGLE_STOP_TIMEOUT_MS);
  }

  async #onEnd(child: ChildProcess, startedAtMs: number): Promise<void> {
    if (!this.#wanted) return;
    const { log, logFile, autoRestart } = this.#options;
    log(`${this.name} exited (${child.signalCode ?? `exit code ${child.exitCode}`}); log: ${logFile}`);
    if (!autoRestart) return;
    if (Date.now() - startedAtMs > STABLE_AFTER_MS) this.#restartsInARow = 0;
    await this.#restart();
  }

  async #restart(): Promise<void> {
    for (;;) {
      const attempt = this.#restartsInARow++;
      const delayMs = Math.min(FIRST_RESTART_DELAY_MS * 2 ** attempt, MAX_RESTART_DELAY_MS);
      await sleep(delayMs, undefined, { signal: this.#stopWaiting.signal }).catch(() => {});
      if (!this.#wanted) return;
      try {
        await this.#launch();
        this.#options.log(`${this.name} is running again`);
        return;
      } catch (error) {
        if (!this.#wanted) return;
        if (attempt + 1 >= MAX_RESTARTS_IN_A_ROW) {
          this.#wanted = false;
          this.#options.onGiveUp(error as Error);
          return;
        }
      }
    }
  }

  #startError(child: ChildProcess, afterMs: number): Error {
    const { logFile } = this.#options;
    // A negative exit code is an error of spawn.
    const ran = (child.exitCode ?? 0) >= 0 && child.pid !== undefined;
    const how = ran ? (child.signalCode ?? `exit ${child.exitCode}`) : 'could not be run';
    return new Error(
      `${this.name} did not start (${how} after ${afterMs} ms); the end of ${logFile}:\n${lastLines(logFile, 15)}`,
    );
  }
}
