import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DashboardApi } from '@gateway/local-stack';
import { runSql } from '@gateway/testing';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { ENGINES } from './support/engines';
import { type Demo, NpmStart } from './support/npm-start';
import { waitUntilEnded } from './support/processes';

jest.setTimeout(120_000);

const GONE_WITHIN_MS = 20_000;
const SETTLED_WITHIN_MS = 2_000;
/** The chance that the kernel gives all their connections to one of two processes is one in a million. */
const CALLS = 20;
// `npm start` chooses its own engines, and its processes are found in /proc.
const describeHere = ENGINES === 'embedded' && process.platform === 'linux' ? describe : describe.skip;

const starts: NpmStart[] = [];
const folders: string[] = [];

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-start-'));
  chmodSync(folder, 0o755);
  folders.push(folder);
  return join(folder, 'data');
}

async function start(dataDir: string): Promise<NpmStart> {
  const started = begin(dataDir);
  await started.ready();
  return started;
}

function begin(dataDir: string, settings: Record<string, string> = {}): NpmStart {
  const started = new NpmStart(dataDir, settings);
  starts.push(started);
  return started;
}

/** Runs the curl command of the banner. */
function runBannersCurl({ output }: NpmStart) {
  const command = /^curl .*$/m.exec(output)?.[0] ?? '';
  return JSON.parse(
    execFileSync('/bin/sh', ['-c', `${command} --silent --show-error`], { encoding: 'utf8' }),
  );
}

/** Returns the process's DATABASE_URL; undefined if it has none, has ended or belongs to another user. */
function databaseUrlOf(pid: number): string | undefined {
  try {
    const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
    return environment.find((line) => line.startsWith('DATABASE_URL='))?.slice('DATABASE_URL='.length);
  } catch {
    return undefined;
  }
}

async function callSlowly({ base_url, api_key }: Demo): Promise<number> {
  const content = '[[sim {"delay_ms":500}]]';
  const response = await fetch(`${base_url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sim/chat', messages: [{ role: 'user', content }] }),
  });
  await response.text();
  return response.status;
}

/** Returns the metrics of a process, whose private port is in its log. */
async function readMetrics(dataDir: string, process: string): Promise<string> {
  const log = readFileSync(join(dataDir, 'logs', `${process}.log`), 'utf8');
  const port = /"ports":\{[^}]*"admin":(\d+)/.exec(log)?.[1];
  return (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
}

async function settledBalance({ dashboard_url, email, password }: Demo): Promise<number> {
  const api = new DashboardApi(dashboard_url);
  const token = (await api.login(email, password)) ?? '';
  const deadlineMs = Date.now() + SETTLED_WITHIN_MS;
  for (;;) {
    const { balance, held } = await api.balance(token);
    if (held === 0) return balance;
    if (Date.now() > deadlineMs) throw new Error(`${held} USD still held`);
  }
}

afterEach(async () => {
  for (const started of starts.splice(0)) await started.dispose();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

describeHere('npm start', () => {
  test('can be interrupted during the start; then starts with a working key, and stops all processes on SIGTERM', async () => {
    const dataDir = newFolder();
    const interrupted = begin(dataDir);
    while (interrupted.processes.length < 5) await new Promise((resolve) => setTimeout(resolve, 5));
    const { processes: partialStream } = interrupted;
    interrupted.signalGroup('SIGINT');
    await waitUntilEnded(partialStream, GONE_WITHIN_MS);
    await waitUntilEnded(interrupted.processes, GONE_WITHIN_MS);

    const started = await start(dataDir);
    const reply = runBannersCurl(started);
    expect(reply.object).toBe('chat.completion');
    expect(reply.choices[0].message.role).toBe('assistant');
    expect(await settledBalance(started.demo)).toBeLessThan(10);
    expect(statSync(join(dataDir, 'demo.json')).mode & 0o777).toBe(0o600);
    expect(statSync(join(dataDir, 'secrets.json')).mode & 0o777).toBe(0o600);

    const second = begin(dataDir);
    expect(await second.exit).toBe(1);
    expect(second.output).toContain('GATEWAY_DATA_DIR');

    const { processes } = started;
    expect(processes.length).toBeGreaterThan(8);
    started.signalGroup('SIGTERM');
    await waitUntilEnded(processes, GONE_WITHIN_MS);
    expect(started.output).toContain('Stopped.');
  });

  test('keeps key and balance after kill -9 of the process group, which leaves no process behind', async () => {
    const dataDir = newFolder();
    const first = await start(dataDir);
    runBannersCurl(first);
    const { demo, processes } = first;
    const balance = await settledBalance(demo);
    first.signalGroup('SIGKILL');
    await waitUntilEnded(processes, GONE_WITHIN_MS);

    const second = await start(dataDir);
    expect(second.demo.api_key).toBe(demo.api_key);
    expect(await settledBalance(second.demo)).toBe(balance);
    runBannersCurl(second);
    expect(await settledBalance(second.demo)).toBeLessThan(balance);
    const { processes: secondProcesses } = second;
    second.signalGroup('SIGINT');
    await waitUntilEnded(secondProcesses, GONE_WITHIN_MS);
    expect(second.output).toContain('Stopped.');
  });

  test('gives each service its own PostgreSQL login, and stops all processes when only npm is signaled', async () => {
    const started = await start(newFolder());
    const { processes } = started;
    const urls = processes.flatMap(({ pid }) => databaseUrlOf(pid) ?? []);
    const logins = [
      'gateway_billing',
      'gateway_catalog',
      'gateway_dashboard',
      'gateway_media',
      'gateway_storage',
    ];
    expect(urls.map((url) => new URL(url).username).toSorted()).toEqual(logins);
    for (const url of urls) {
      await expect(runSql(url, 'DELETE FROM billing.ledger')).rejects.toMatchObject({ code: '42501' });
    }
    started.signalNpm('SIGTERM');
    await waitUntilEnded(processes, GONE_WITHIN_MS);
    expect(started.output).toContain('Stopped.');
  });

  test('several edges share the API port and use all chats', async () => {
    const dataDir = newFolder();
    const started = begin(dataDir, { EDGE_INSTANCES: '2', CHAT_INSTANCES: '2' });
    await started.ready();
    // Calls at the same time, so that each has a connection of its own and no chat can answer all.
    const statuses = await Promise.all(Array.from({ length: CALLS }, () => callSlowly(started.demo)));
    expect(new Set(statuses)).toEqual(new Set([200]));
    const [edge, otherEdge, chat, otherChat] = await Promise.all(
      ['edge', 'edge-1', 'chat', 'chat-1'].map((name) => readMetrics(dataDir, name)),
    );
    const answered = /^edge_requests_total\{[^}]*\bstatus="200"[^}]*\} [1-9]/m;
    expect(edge).toMatch(answered);
    expect(otherEdge).toMatch(answered);
    const called = /^chat_target_calls_total\{[^}]*\} [1-9]/m;
    expect(chat).toMatch(called);
    expect(otherChat).toMatch(called);
    started.signalGroup('SIGTERM');
    await waitUntilEnded(started.processes, GONE_WITHIN_MS);
  });

  test('reports the setting of a port that is in use', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const address = other.address();
    const port = typeof address === 'object' && address ? String(address.port) : '';
    const started = begin(newFolder(), { EDGE_API_PORT: port });
    expect(await started.exit).toBe(1);
    expect(started.output).toContain(`EDGE_API_PORT: port ${port} is in use`);
    other.close();
  });
});
