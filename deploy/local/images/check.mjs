import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { run } from '../../../tools/engines/commands.mjs';
import { freePorts } from '../../../tools/engines/processes.mjs';
import { GATEWAY } from './build.mjs';
import { readComposeFile } from './compose-file.mjs';
import { ComposeStack } from './stack.mjs';

const { DashboardApi, requestJson } = createRequire(import.meta.url)('@gateway/local-stack');

const UNWANTED_COMMANDS = [
  'npm',
  'npx',
  'pnpm',
  'yarn',
  'corepack',
  'tsc',
  'gcc',
  'make',
  'python3',
  'git',
  'curl',
];
const UNWANTED_PACKAGES = /\/(testing|bench|typescript|jest|fast-check|vite)@/;
const UNWANTED_IN_SERVICES = /\/(simulator|local-stack|local)@/;

/** Checks that an image has nothing but what it needs to run. Throws an error that lists what is wrong. */
export async function checkImage({ name, image, sbomFile, logFile }) {
  const problems = [];
  const script = `for name in ${UNWANTED_COMMANDS.join(' ')}; do command -v $name; done; ls -A /app/node_modules/.pnpm`;
  const listing = await run(
    'podman',
    ['run', '--rm', '--network=none', '--no-healthcheck', '--read-only', image, 'sh', '-c', script],
    {
      logFile,
    },
  );
  const commands = listing.split('\n').filter((line) => line.startsWith('/'));
  if (commands.length > 0) problems.push(`has ${commands.join(', ')}`);
  const { components } = JSON.parse(readFileSync(sbomFile, 'utf8'));
  const isUnwanted = ({ purl }) =>
    UNWANTED_PACKAGES.test(purl) || (name !== GATEWAY && UNWANTED_IN_SERVICES.test(purl));
  const unwanted = components.filter(isUnwanted).map(({ purl }) => purl);
  if (unwanted.length > 0) problems.push(`has the packages ${unwanted.join(', ')}`);
  // pnpm's folders are named name@version, with a plus for the slash.
  const installed = listing.split('\n').filter((line) => /^(@[^+]+\+)?[^+@]+@/.test(line));
  const listed = new Set(components.map(({ group, name }) => (group ? `${group}/${name}` : name)));
  const unlisted = installed.filter((line) => !listed.has(line.replace('+', '/').replace(/(?<=.)@.*/, '')));
  if (unlisted.length > 0) problems.push(`has packages that the SBOM lacks: ${unlisted.join(', ')}`);
  if (problems.length > 0) throw new Error(`The image of ${name} ${problems.join('; ')}`);
}

/** Runs the compose file's stack with the simulator from the images, makes a first call, and removes the stack. */
export async function checkStack({ repository, env, logFile, hasStandIns, log }) {
  const [apiPort, dashboardPort] = await freePorts(2);
  const variables = trialVariables(readFileSync(join(repository, 'deploy/compose.env.example'), 'utf8'), {
    EDGE_API_PORT: String(apiPort),
    EDGE_DASHBOARD_PORT: String(dashboardPort),
    PUBLIC_API_URL: `http://127.0.0.1:${apiPort}`,
  });
  const compose = readComposeFile(join(repository, 'docker-compose.yml'), variables);
  const project = `gateway-${randomBytes(4).toString('hex')}`;
  const stack = new ComposeStack({ compose, project, env, logFile, hasStandIns });
  const startedAtMs = Date.now();
  const since = () => `${Math.round((Date.now() - startedAtMs) / 1000)} s`;
  const removeAndExit = () => stack.down().finally(() => process.exit(1));
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, removeAndExit);
  try {
    await stack.up();
    log(`the stack is healthy after ${since()}`);
    await makeFirstCall(variables);
    for (const name of stack.running()) await checkConfinement(stack, name);
    log(`the first call is answered and billed after ${since()}`);
    const failed = Object.entries(await stack.stop()).filter(
      ([name, code]) => isOurs(compose, name) && code !== 0,
    );
    if (failed.length > 0)
      throw new Error(`Exit codes after SIGTERM: ${JSON.stringify(Object.fromEntries(failed))}`);
  } catch (error) {
    for (const name of stack.names()) log(`--- ${name}\n${await stack.logs(name).catch(() => '')}`);
    throw error;
  } finally {
    await stack.down();
  }
  log(`the stack is removed after ${since()}`);
}

/** Gives each empty variable of `compose.env.example` a random value of the form that its comment asks for. */
function trialVariables(example, values) {
  const forms = {
    CREDENTIALS_KEY: 'base64',
    STORAGE_KEY: 'base64',
    JWT_SIGNING_KEY: 'base64url',
  };
  const names = [...example.matchAll(/^([A-Z_]+)=$/gm)].map(([, name]) => name);
  const secrets = names.map((name) => [name, randomBytes(32).toString(forms[name] ?? 'hex')]);
  return {
    ...Object.fromEntries(secrets),
    ADMIN_EMAIL: 'operator@example.com',
    COMPOSE_PROFILES: 'trial',
    ...values,
  };
}

/** The first call of the README: an account, a top-up, a key, a chat completion; and its charge. Returns the key. */
export async function makeFirstCall({ EDGE_API_PORT, EDGE_DASHBOARD_PORT, ADMIN_EMAIL, ADMIN_PASSWORD }) {
  const api = new DashboardApi(`http://127.0.0.1:${EDGE_DASHBOARD_PORT}`);
  const account = await api.register('first@example.com', randomBytes(12).toString('hex'), 'First');
  const operator = await api.login(ADMIN_EMAIL, ADMIN_PASSWORD);
  const { account_id: accountId } = await api.call('GET', 'billing/balance', account.token);
  await api.topUp(operator, accountId, 10);
  const { key } = await api.createKey(account.token, 'first');
  const url = `http://127.0.0.1:${EDGE_API_PORT}/v1/chat/completions`;
  const messages = [{ role: 'user', content: 'Hello!' }];
  const answer = await requestJson('POST', url, key, { model: 'sim/chat', messages });
  if (answer.status !== 200 || !answer.body.choices?.[0]?.message?.content) {
    throw new Error(`The first call was answered with ${answer.status} ${JSON.stringify(answer.body)}`);
  }
  if (!(answer.body.usage.cost > 0))
    throw new Error(`The first call cost nothing: ${JSON.stringify(answer.body.usage)}`);
  return key;
}

/** Checks in the container itself that it has no capabilities, and that it can't write outside of its mounts. */
export async function checkConfinement(stack, name) {
  const status = await stack.exec(name, 'cat', '/proc/1/status');
  const field = (label) => new RegExp(`^${label}:\\s+(\\S+)`, 'm').exec(status)?.[1];
  const writes = await stack.exec(name, 'sh', '-c', 'touch /usr/written 2>&1 || true');
  const isConfined =
    field('Uid') !== '0' &&
    /^0+$/.test(field('CapEff')) &&
    /^0+$/.test(field('CapBnd')) &&
    field('NoNewPrivs') === '1' &&
    writes.includes('Read-only file system');
  if (!isConfined) throw new Error(`${name} is not confined: ${status}\n${writes}`);
}

const isOurs = (compose, name) => compose.services[name].build !== undefined;
