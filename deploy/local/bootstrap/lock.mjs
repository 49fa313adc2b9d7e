import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_INTERVAL_MS = 200;

/**
 * Runs `work` while holding the lock file; waits up to `waitMs` for another holder. A holder is identified by pid and start
 * time, so the lock of a killed process is ignored.
 */
export async function withLock(file, waitMs, onWait, work) {
  const mine = `${file}.${process.pid}`;
  writeFileSync(mine, JSON.stringify({ pid: process.pid, started: startOf(process.pid) }));
  const release = () => {
    rmSync(mine, { force: true });
    rmSync(file, { force: true });
  };
  try {
    await acquire(file, mine, waitMs, onWait);
  } catch (error) {
    rmSync(mine, { force: true });
    throw error;
  }
  process.once('exit', release);
  try {
    return await work();
  } finally {
    process.off('exit', release);
    release();
  }
}

async function acquire(file, mine, waitMs, onWait) {
  const deadlineMs = Date.now() + waitMs;
  let isReported = false;
  while (!tryLink(mine, file)) {
    const text = readOrUndefined(file);
    if (text === undefined) continue;
    const holder = JSON.parse(text);
    if (startOf(holder.pid) !== holder.started) {
      removeStale(file, text, `${mine}.stale`);
      continue;
    }
    if (Date.now() > deadlineMs)
      throw new Error(`process ${holder.pid} has been setting up this folder for too long`);
    if (!isReported) onWait(holder.pid);
    isReported = true;
    await sleep(POLL_INTERVAL_MS);
  }
}

/** Creates the lock as a hard link, so that it never exists without its content. */
function tryLink(from, to) {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Removes a stale lock. If another process has replaced it meanwhile, that process's lock is restored. */
function removeStale(file, text, aside) {
  try {
    renameSync(file, aside);
  } catch (error) {
    if (error.code === 'ENOENT') return;
    throw error;
  }
  if (readOrUndefined(aside) !== text) tryLink(aside, file);
  rmSync(aside, { force: true });
}

/** Returns the start time of the process ('alive' on systems without /proc), or undefined if it has exited. */
function startOf(pid) {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (error.code !== 'EPERM') return undefined;
  }
  if (process.platform !== 'linux') return 'alive';
  const stat = readOrUndefined(`/proc/${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
}

function readOrUndefined(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ESRCH') return undefined;
    throw error;
  }
}
