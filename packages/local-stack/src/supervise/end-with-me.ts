import { spawn } from 'node:child_process';

/**
 * Signals a process of another group when this one ends, even by `kill -9`: a shell in a group of its own waits for the end of
 * a pipe that only this process holds open. Returns the function that releases it.
 */
export function endWithMe(pid: number, signal: 'INT' | 'TERM'): () => void {
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
