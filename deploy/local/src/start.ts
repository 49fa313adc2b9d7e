import { constants } from 'node:os';
import { join } from 'node:path';
import { REPOSITORY, requestJson, type Stack, startStack } from '@gateway/local-stack';
import { applyConfig, describeChange, type Post } from './apply-config';
import { banner } from './banner';
import { type ConfigFile, ConfigFileError, fileFromCaller, readConfigFile } from './config-file';
import { provisionDemo } from './demo-account';
import { develop } from './develop';
import { readStartSettings } from './start-settings';

/** npm forwards a signal that the whole process group has already received: signals within this time count as one. */
const SAME_SIGNAL_MS = 1_000;
const STOP_TIMEOUT_MS = 19_000;
const PARENT_CHECK_INTERVAL_MS = 1_000;

/**
 * `npm start`: runs the gateway with a demo account in the foreground, and stops it gracefully. `--watch`: `npm run dev`.
 * `--config FILE`: applies the configuration when the gateway is ready.
 */
async function main(): Promise<void> {
  const startedAtMs = Date.now();
  const shutdown = new Shutdown();
  // The reader of our output may exit before us.
  process.stdout.on('error', () => {});
  process.stderr.on('error', () => {});
  try {
    const configFile = readConfigOption(process.argv, process.env);
    // Mistakes are reported before anything is started.
    const config = configFile === undefined ? undefined : await readConfigFile(configFile);
    const settings = await readStartSettings(process.env, join(REPOSITORY, '.gateway'));
    const stack = await startStack({
      ...settings,
      env: process.env,
      useDefaultPorts: true,
      signal: shutdown.abortStart,
      log: (message) => console.log(message),
      onGiveUp: (error) => shutdown.begin(error.message, 1),
    });
    shutdown.onStack(stack);
    const demo = await provisionDemo(stack);
    if (config) await applyToStack(stack, config);
    if (shutdown.begun) return;
    console.log(banner(stack, demo, Date.now() - startedAtMs));
    if (process.argv.includes('--watch')) develop(stack);
  } catch (error) {
    // Failures during the shutdown are caused by it.
    if (!shutdown.begun) shutdown.begin(explain(error as NodeJS.ErrnoException), 1);
    shutdown.onStartFailed();
  }
}

/** Returns the file of `--config FILE`, or GATEWAY_CONFIG. @throws Error if `--config` has no file */
function readConfigOption(args: readonly string[], env: NodeJS.ProcessEnv): string | undefined {
  const at = args.indexOf('--config');
  if (at === -1) return env.GATEWAY_CONFIG ? fileFromCaller(env.GATEWAY_CONFIG) : undefined;
  const file = args[at + 1];
  if (file === undefined) throw new Error('--config needs the name of a file.');
  return fileFromCaller(file);
}

/** @throws ConfigFileError if the gateway excludes the configuration */
async function applyToStack(
  { dashboardUrl, secrets }: Stack,
  { config, describe }: ConfigFile,
): Promise<void> {
  const operator = { email: secrets.adminEmail, password: secrets.adminPassword };
  const post: Post = (call, body, token) =>
    requestJson('POST', `${dashboardUrl}/api/v1/${call}`, token, body);
  const { problems, changes } = await applyConfig(post, operator, config, false);
  if (problems.length > 0) throw new ConfigFileError(problems.map(describe));
  for (const change of changes) console.log(describeChange(change));
}

function explain({ code, message }: NodeJS.ErrnoException): string {
  if (message.startsWith('already in use')) {
    return `Another gateway is using this data (${message}).\nStop it, or set GATEWAY_DATA_DIR to another folder.`;
  }
  if (code === 'EACCES' || code === 'EROFS') {
    return `${message}\nSet GATEWAY_DATA_DIR to a folder that this user can write to.`;
  }
  return message;
}

/** Shuts the process down once, for the first of several possible reasons. */
class Shutdown {
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

  /** Aborted if the shutdown begins while the stack is starting. */
  get abortStart(): AbortSignal {
    return this.#early.signal;
  }

  get begun(): boolean {
    return this.#begunAtMs !== undefined;
  }

  onStack(stack: Stack): void {
    this.#stack = stack;
    if (this.begun) void this.#stopStack(stack);
  }

  /** Exits after a failed start, which has already stopped everything. */
  onStartFailed(): void {
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

  /** Detects that the parent process has exited: a signal that only npm receives ends the shell between npm and this process. */
  #watchParent(): void {
    const parent = process.ppid;
    setInterval(() => {
      if (process.ppid !== parent) this.begin(undefined, 0);
    }, PARENT_CHECK_INTERVAL_MS).unref();
  }
}

void main();
