import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Returns the kernel's start time of the process, which distinguishes it from a later process with the same pid. Undefined if
 * it has exited or is a zombie.
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

/** Returns whether the recorded process is still running. A reused pid does not count. */
export function isRunning(record) {
  return Boolean(record.pid && record.startId && startIdOf(record.pid) === record.startId);
}

/** Starts a process in a new process group, so that it outlives this one. Its output goes to `logFile`. */
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

/** Polls until `condition` returns true; returns false after the timeout. */
export async function waitUntil(condition, timeoutMs, intervalMs = 50) {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    if (await condition()) return true;
    if (Date.now() >= deadline) return false;
    await sleep(intervalMs);
  }
}

/** Stops a process: sends the signals one after the other, each with its timeout, until the process has exited. */
export async function stopProcess(record, steps) {
  for (const [signal, timeoutMs] of steps) {
    if (!isRunning(record)) return;
    try {
      process.kill(record.pid, signal);
    } catch (error) {
      if (error.code !== 'ESRCH') throw error;
    }
    if (await waitUntil(() => !isRunning(record), timeoutMs)) return;
  }
  throw new Error(`process ${record.pid} does not exit`);
}

/** Returns `count` different ports that are free on 127.0.0.1. */
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
