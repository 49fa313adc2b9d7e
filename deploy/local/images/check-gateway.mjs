import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { run } from '../../../tools/engines/commands.mjs';
import { freePorts, waitUntil } from '../../../tools/engines/processes.mjs';
import { checkConfinement, makeFirstCall } from './check.mjs';

const { requestJson } = createRequire(import.meta.url)('@gateway/local-stack');

const START_TIMEOUT_MS = 120_000;
/** `npm start` stops within 20 s. */
const STOP_TIMEOUT_S = 30;
const POLL_INTERVAL_MS = 500;

/**
 * Runs the whole gateway on embedded engines in one confined container, makes a first call, and checks that it stops on SIGTERM and
 * keeps its data in its volume.
 */
export async function checkGateway({ image, env, logFile, log }) {
  const [apiPort, dashboardPort] = await freePorts(2);
  const name = `gateway-${randomBytes(4).toString('hex')}`;
  const podman = (...args) => run('podman', args, { env, logFile, timeoutMs: START_TIMEOUT_MS });
  const exec = (_name, ...command) => podman('exec', name, ...command);
  const remove = async () => {
    await podman('rm', '--force', '--ignore', '--time', '5', name);
    await podman('volume', 'rm', '--force', name);
  };
  const removeAndExit = () => remove().finally(() => process.exit(1));
  const signals = ['SIGINT', 'SIGTERM'];
  for (const signal of signals) process.on(signal, removeAndExit);
  const startedAtMs = Date.now();
  const since = () => `${Math.round((Date.now() - startedAtMs) / 1000)} s`;

  const start = async () => {
    await podman(
      ...['run', '--detach', '--name', name, '--health-interval=disable'],
      ...['--read-only', '--read-only-tmpfs=false', '--tmpfs', '/tmp', '--volume', `${name}:/data`],
      ...['--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'],
      ...['--publish', `127.0.0.1:${apiPort}:8080`, '--publish', `127.0.0.1:${dashboardPort}:8081`],
      image,
    );
    const isHealthy = () =>
      podman('healthcheck', 'run', name).then(
        () => true,
        () => false,
      );
    if (!(await waitUntil(isHealthy, START_TIMEOUT_MS, POLL_INTERVAL_MS)))
      throw new Error('The gateway in one container is not ready');
  };
  const stop = async () => {
    await podman('stop', '--time', String(STOP_TIMEOUT_S), name);
    const code = (await podman('inspect', '--format', '{{.State.ExitCode}}', name)).trim();
    if (code !== '0') throw new Error(`The gateway in one container exited with ${code} after SIGTERM`);
    await podman('rm', name);
  };

  try {
    await start();
    log(`the gateway in one container is healthy after ${since()}`);
    const { adminEmail, adminPassword } = JSON.parse(await exec(name, 'cat', '/data/secrets.json'));
    const key = await makeFirstCall({
      EDGE_API_PORT: apiPort,
      EDGE_DASHBOARD_PORT: dashboardPort,
      ADMIN_EMAIL: adminEmail,
      ADMIN_PASSWORD: adminPassword,
    });
    await checkConfinement({ exec }, name);
    const users = await exec(name, 'sh', '-c', 'cat /proc/[0-9]*/status | grep ^Uid');
    if (/^Uid:(?!(\s1000){4}$)/m.test(users)) throw new Error(`A process has another user:\n${users}`);
    await stop();
    await start();
    const { status } = await requestJson('GET', `http://127.0.0.1:${apiPort}/v1/models`, key);
    if (status !== 200) throw new Error(`The key is not kept in the volume: ${status}`);
    await stop();
  } catch (error) {
    const script = 'exec podman logs --tail 30 "$0" 2>&1';
    log(await run('sh', ['-c', script, name], { env }).catch(() => ''));
    throw error;
  } finally {
    await remove();
    for (const signal of signals) process.off(signal, removeAndExit);
  }
  log(`the gateway in one container has answered the first call and kept its data after ${since()}`);
}
