import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ProcessIdentity, processTree } from './processes';

const REPOSITORY = join(__dirname, '../../..');
const READY_TIMEOUT_MS = 60_000;
const POLL_INTERVAL_MS = 25;

/** Content of `demo.json`. */
export interface Demo {
  readonly base_url: string;
  readonly dashboard_url: string;
  readonly api_key: string;
  readonly email: string;
  readonly password: string;
  readonly admin_email: string;
  readonly admin_password: string;
}

/** A running `npm start` in its own process group. */
export class NpmStart {
  readonly #child: ChildProcess;
  readonly #dataDir: string;
  readonly #exit: Promise<number | NodeJS.Signals>;
  #output = '';
  #ended = false;

  constructor(dataDir: string, settings: Readonly<Record<string, string>> = {}) {
    this.#dataDir = dataDir;
    const env = { ...process.env, EDGE_API_PORT: '0', EDGE_DASHBOARD_PORT: '0', ...settings };
    this.#child = spawn('npm', ['start'], {
      cwd: REPOSITORY,
      detached: true,
      env: { ...env, GATEWAY_DATA_DIR: dataDir },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on('data', (chunk) => {
        this.#output += chunk;
      });
    }
    this.#exit = new Promise((resolve) => {
      this.#child.once('exit', (code, signal) => {
        this.#ended = true;
        resolve(signal ?? code ?? -1);
      });
    });
  }

  get output(): string {
    return this.#output;
  }

  get demo(): Demo {
    return JSON.parse(readFileSync(join(this.#dataDir, 'demo.json'), 'utf8')) as Demo;
  }

  /** npm and its descendants. */
  get processes(): ProcessIdentity[] {
    return processTree(this.#child.pid ?? 0);
  }

  /** Exit code, or the signal that ended it. */
  get exit(): Promise<number | NodeJS.Signals> {
    return this.#exit;
  }

  /** Resolves once the banner is printed. */
  async ready(): Promise<void> {
    const deadlineMs = Date.now() + READY_TIMEOUT_MS;
    while (!this.#output.includes('Press Ctrl-C to stop')) {
      if (this.#ended) throw new Error(`npm start ended:\n${this.#output}`);
      if (Date.now() > deadlineMs) throw new Error(`npm start is not ready:\n${this.#output}`);
      await sleep(POLL_INTERVAL_MS);
    }
  }

  signalNpm(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  signalGroup(signal: NodeJS.Signals): void {
    if (this.#child.pid) process.kill(-this.#child.pid, signal);
  }

  /** Cleans up after a test, whatever its result. */
  async dispose(): Promise<void> {
    if (this.#ended) return;
    const { processes } = this;
    this.signalGroup('SIGKILL');
    await this.#exit;
    for (const { pid } of processes.slice(1)) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // The process has ended already.
      }
    }
  }
}
