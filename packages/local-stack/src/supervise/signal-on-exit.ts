import { spawn } from 'node:child_process';

/**
 * Sends a signal to a process of another process group when this process exits, even by `kill -9`: a shell in its own process
 * group waits for the end of a pipe that only this process holds open. Returns the function that cancels it.
 */
export function signalOnExit(pid: number, signal: 'INT' | 'TERM'): () => void {
  const watcher = spawn('/bin/sh', ['-c', 'read -r _; kill -s "$1" "$0"', String(pid), signal], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  watcher.on('error', () => {});
  watcher.stdin.on('error', () => {});
  watcher.unref();
  // @ts-expect-error a pipe's stream is a socket, which the types do not say
  watcher.stdin.unref();
  return () => {
    watcher.kill('SIGKILL');
  };
}
