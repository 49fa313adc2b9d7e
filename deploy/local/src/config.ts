import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { REPOSITORY, readJsonFile } from '@gateway/local-stack';
import { applyConfig, describeChange, type Operator, type Post } from './apply-config';
import { ConfigFileError, fileFromCaller, readConfigFile } from './config-file';
import type { Demo } from './demo-account';

const TIMEOUT_MS = 30_000;

const USAGE = `Usage: npm run config -- check|diff|apply [--config FILE] [--url URL]

  check   validates the file
  diff    lists what the file would change in a running gateway
  apply   makes providers, models and settings as the file describes them, all or nothing

FILE is gateway.yaml or GATEWAY_CONFIG by default. URL is the dashboard's; ADMIN_EMAIL and ADMIN_PASSWORD are an operator's. By
default they are those of the gateway that npm start runs here.`;

/** `npm run config`. */
async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { config: { type: 'string' }, url: { type: 'string' } },
  });
  const [command] = positionals;
  if (positionals.length !== 1 || !['check', 'diff', 'apply'].includes(command ?? '')) {
    console.error(USAGE);
    return 2;
  }
  const file = fileFromCaller(values.config ?? process.env.GATEWAY_CONFIG ?? 'gateway.yaml');
  const { config, describe } = await readConfigFile(file);
  if (command === 'check') {
    console.log('The configuration is valid.');
    return 0;
  }
  const { post, operator } = gatewayOf(process.env, values.url);
  const { problems, changes, applied } = await applyConfig(post, operator, config, command === 'diff');
  if (problems.length > 0) throw new ConfigFileError(problems.map(describe));
  for (const change of changes) console.log(describeChange(change));
  const count = `${changes.length} ${changes.length === 1 ? 'change' : 'changes'}`;
  console.log(applied ? `${count} applied.` : `${count}.`);
  return 0;
}

/** @throws Error if there is no gateway to talk to */
function gatewayOf(env: NodeJS.ProcessEnv, url: string | undefined): { post: Post; operator: Operator } {
  const dataDir = env.GATEWAY_DATA_DIR || join(REPOSITORY, '.gateway');
  const demo = readJsonFile<Demo>(join(dataDir, 'demo.json'));
  const origin = url ?? demo?.dashboard_url;
  const email = env.ADMIN_EMAIL || demo?.admin_email;
  const password = env.ADMIN_PASSWORD || demo?.admin_password;
  if (!origin || !email || !password) {
    throw new Error('No gateway has been started here. Set --url, ADMIN_EMAIL and ADMIN_PASSWORD.');
  }
  return { post: postTo(origin.replace(/\/+$/, '')), operator: { email, password } };
}

const postTo =
  (origin: string): Post =>
  async (call, body, token) => {
    const response = await fetch(`${origin}/api/v1/${call}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return { status: response.status, body: await response.json() };
  };

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: Error) => {
    console.error(error.message);
    process.exitCode = 1;
  },
);
