import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Tells one life of a pid from the next: the kernel's start time of the process.
 * Undefined when it is gone, or a zombie that only waits for its parent.
 */
export function startIdOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

/** Whether the recorded process still runs; a reused pid does not count. */
export function isRunning(record) {
  return Boolean(record.pid && record.startId && startIdOf(record.pid) === record.startId);
}

/** Starts a process that outlives this one, in a process group of its own, writing to a file. */
export async function launchDetached({ command, args, env, uid, gid, logFile }) {
  const log = openSync(logFile, 'a', 0o600);
  try {
    const child = spawn(command, args, {
      cwd: '/',
      detached: true,
      env: { ...process.env, ...env },
      stdio: ['ignore', log, log],
      ...(uid === undefined ? {} : { uid, gid }),
    });
    await new Promise((resolve, reject) => child.once('spawn', resolve).once('error', reject));
    child.unref();
    return { pid: child.pid, startId: startIdOf(child.pid) };
  } finally {
    closeSync(log);
  }
}

/** Polls until `condition` answers true; false when the time is over. */
export async function waitUntil(condition, timeoutMs, intervalMs = 50) {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    if (await condition()) return true;
    if (Date.now() >= deadline) return false;
    await sleep(intervalMs);
  }
}

/** Sends the signals in turn, each with its time, until the process is gone. */
export async function endProcess(record, steps) {
  for (const [signal, timeoutMs] of steps) {
    if (!isRunning(record)) return;
    try {
      process.kill(record.pid, signal);
    } catch (error) {
      if (error.code !== 'ESRCH') throw error;
    }
    if (await waitUntil(() => !isRunning(record), timeoutMs)) return;
  }
  throw new Error(`process ${record.pid} does not end`);
}

/** `count` different ports, free on 127.0.0.1 at this moment. */
export async function freePorts(count) {
  const servers = [];
  for (let i = 0; i < count; i++) {
    const server = createServer();
    await new Promise((resolve, reject) => server.listen(0, '127.0.0.1', resolve).once('error', reject));
    servers.push(server);
  }
  const ports = servers.map((server) => server.address().port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
