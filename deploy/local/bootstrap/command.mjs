import { spawn } from 'node:child_process';

const MAX_OUTPUT_CHARS = 64 * 1024;
const SHOWN_LINES = 20;
const REPORT_INTERVAL_MS = 20_000;

/**
 * Runs a program without showing its output. If it fails, throws an error with `onFailure(output)` and the end of its output.
 * Signals that end this process are forwarded to it.
 */
export async function runCommand(program, args, options) {
  const { cwd, env, timeoutMs, onFailure, stillRunning } = options;
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output = (output + chunk).slice(-MAX_OUTPUT_CHARS);
    });
  }
  const startedAtMs = Date.now();
  const report = setInterval(
    () => stillRunning?.(Math.round((Date.now() - startedAtMs) / 1000)),
    REPORT_INTERVAL_MS,
  );
  const timeout = setTimeout(() => child.kill('SIGTERM'), timeoutMs);
  const stopListening = forwardSignals(child);
  try {
    const code = await new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    if (code !== 0) throw new Error(`exited with ${code ?? child.signalCode}`);
  } catch (error) {
    const end = output.trim().split('\n').slice(-SHOWN_LINES).join('\n');
    throw new Error(`${onFailure(output)}\n${program} ${args.join(' ')}: ${error.message}\n${end}`);
  } finally {
    clearInterval(report);
    clearTimeout(timeout);
    stopListening();
  }
}

function forwardSignals(child) {
  const listeners = [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ].map(([signal, exitCode]) => {
    const listener = () => {
      child.kill(signal);
      process.exit(exitCode);
    };
    process.on(signal, listener);
    return [signal, listener];
  });
  return () => {
    for (const [signal, listener] of listeners) process.off(signal, listener);
  };
}
