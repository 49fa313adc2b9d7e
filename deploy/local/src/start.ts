import { constants } from 'node:os';
import { join } from 'node:path';
import { REPOSITORY, type Stack, startStack } from '@gateway/local-stack';
import { banner } from './banner';
import { provisionDemo } from './demo-account';
import { develop } from './develop';
import { readStartSettings } from './start-settings';

/** npm forwards a signal that the whole process group has already received. */
const SAME_SIGNAL_MS = 1_000;
const STOP_TIMEOUT_MS = 19_000;
const PARENT_CHECK_INTERVAL_MS = 1_000;

/** `npm start`: starts everything and a demo account in the foreground, and stops in order. `--watch`: `npm run dev`. */
async function main(): Promise<void> {
  const startedAtMs = Date.now();
  const end = new Ending();
  // The reader of our output may exit before us.
  process.stdout.on('error', () => {});
  process.stderr.on('error', () => {});
  try {
    const settings = await readStartSettings(process.env, join(REPOSITORY, '.gateway'));
    const stack = await startStack({
      ...settings,
      env: process.env,
      useDefaultPorts: true,
      signal: end.early,
      log: (message) => console.log(message),
      onGiveUp: (error) => end.begin(error.message, 1),
    });
    end.onStack(stack);
    const demo = await provisionDemo(stack);
    if (end.begun) return;
    console.log(banner(stack, demo, Date.now() - startedAtMs));
    if (process.argv.includes('--watch')) develop(stack);
  } catch (error) {
    // Failures during the shutdown are caused by it.
    if (!end.begun) end.begin(explain(error as NodeJS.ErrnoException), 1);
    end.nothingRuns();
  }
}

function explain({ code, message }: NodeJS.ErrnoException): string {
  if (message.startsWith('already in use')) {
    return `Another gateway works on this data (${message}).\nStop it, or set GATEWAY_DATA_DIR to another folder.`;
  }
  if (code === 'EACCES' || code === 'EROFS') {
    return `${message}\nSet GATEWAY_DATA_DIR to a folder that this user may write.`;
  }
  return message;
}

/** Ends the process once, for whichever reason comes first. */
class Ending {
  readonly #early = new AbortController();
  #stack: Stack | undefined;
  #begunAtMs: number | undefined;
  #exitCode = 0;

  constructor() {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => this.#onSignal(128 + constants.signals[signal]));
    }
    process.on('disconnect', () => this.begin(undefined, 0));
    if (process.env.npm_lifecycle_event) this.#watchParent();
  }

  /** Aborted if the shutdown begins before the stack exists. */
  get early(): AbortSignal {
    return this.#early.signal;
  }

  get begun(): boolean {
    return this.#begunAtMs !== undefined;
  }

  onStack(stack: Stack): void {
    this.#stack = stack;
    if (this.begun) void this.#stopStack(stack);
  }

  /** The start failed, and everything that had started has been stopped. */
  nothingRuns(): void {
    if (!this.#stack) process.exit(this.#exitCode);
  }

  begin(problem: string | undefined, exitCode: number): void {
    if (this.begun) return;
    this.#begunAtMs = Date.now();
    this.#exitCode = exitCode;
    if (problem) console.error(`\n${problem}`);
    if (this.#stack || !problem) console.log('\nStopping …');
    if (this.#stack) void this.#stopStack(this.#stack);
    else this.#early.abort();
  }

  async #stopStack(stack: Stack): Promise<void> {
    setTimeout(() => process.exit(this.#exitCode || 1), STOP_TIMEOUT_MS).unref();
    await stack.stop();
    console.log('Stopped.');
    process.exit(this.#exitCode);
  }

  #onSignal(exitCode: number): void {
    if (this.#begunAtMs === undefined) this.begin(undefined, this.#stack ? 0 : exitCode);
    else if (Date.now() - this.#begunAtMs > SAME_SIGNAL_MS) void this.#stack?.stopNow();
  }

  /** A signal sent to npm only may end the shell between npm and us, which leaves us without a parent. */
  #watchParent(): void {
    const parent = process.ppid;
    setInterval(() => {
      if (process.ppid !== parent) this.begin(undefined, 0);
    }, PARENT_CHECK_INTERVAL_MS).unref();
  }
}

void main();
