import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import {
  type Account,
  DashboardApi,
  freeLoopbackPort,
  type ServiceName,
  type Stack,
  type StackOptions,
  startStack,
  writeDevCertificates,
} from '@gateway/local-stack';
import { type ProcessGroup, withChildren } from '../procfs/process-group';
import { type BenchEngines, openEngines } from './bench-engines';
import { createDataFolder, removeDataFolder } from './data-folder';

/** The services whose CPU counts as the gateway's. */
const GATEWAY_SERVICES: readonly ServiceName[] = ['edge', 'chat', 'billing', 'catalog', 'dashboard'];
export const TOP_UP_USD = 10_000;

/** A running stack with a funded account. */
export interface GatewayUnderTest {
  readonly stack: Stack;
  readonly api: DashboardApi;
  readonly account: Account;
  readonly apiKey: string;
  readonly services: readonly ProcessGroup[];
  readonly postgres: ProcessGroup;
  /** Undefined if Redis runs inside this process. */
  readonly redis: ProcessGroup | undefined;
  readonly simulator: ProcessGroup;
  stop(): Promise<void>;
}

export interface GatewayOptions {
  /** Folder to which every service writes a CPU profile when it exits. */
  readonly profileDir: string | undefined;
  /** Folder of the engines to use instead of embedded ones. */
  readonly enginesDir: string | undefined;
  /** Processes of each service; one by default. */
  readonly instances?: NonNullable<StackOptions['instances']>;
  readonly chatJournal: 'file' | 'postgres';
  readonly tls: boolean;
  readonly signal: AbortSignal;
  readonly onGiveUp: (error: Error) => void;
}

export async function startGateway(options: GatewayOptions): Promise<GatewayUnderTest> {
  const { profileDir, enginesDir, tls, ...stackOptions } = options;
  const engines = enginesDir === undefined ? undefined : await openEngines(enginesDir);
  const dataDir = createDataFolder();
  let stack: Stack | undefined;
  const stop = async () => {
    await stack?.stop();
    removeDataFolder(dataDir);
    await engines?.remove();
  };
  try {
    const certificates = join(dataDir, 'certificates');
    if (tls) await writeDevCertificates(certificates);
    stack = await startStack({
      ...stackOptions,
      ...(tls && { certificates }),
      ...(engines && { engines: engines.addresses }),
      dataDir,
      env: minimalEnvironment(),
      settings: profileDir === undefined ? await sharedPort(options.instances) : profileSettings(profileDir),
      autoRestart: false,
    });
    return { stack, ...(await openAccount(stack)), ...processGroups(stack, engines), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Returns an environment without gateway settings: keys would lead to real providers, addresses to real engines. */
function minimalEnvironment(): NodeJS.ProcessEnv {
  const { PATH, HOME, USER } = process.env;
  return { PATH, HOME, USER };
}

/** Several edges listen on one port, as with `npm start`. */
async function sharedPort(
  instances: StackOptions['instances'],
): Promise<NonNullable<StackOptions['settings']>> {
  if ((instances?.edge ?? 1) === 1) return {};
  return { edge: { EDGE_API_PORT: String(await freeLoopbackPort()), EDGE_REUSE_PORT: 'on' } };
}

function profileSettings(dir: string): Partial<Record<ServiceName, Record<string, string>>> {
  return Object.fromEntries(
    GATEWAY_SERVICES.map((service) => [
      service,
      { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${join(dir, service)}` },
    ]),
  );
}

async function openAccount(stack: Stack) {
  const api = new DashboardApi(stack.dashboardUrl);
  const password = randomBytes(18).toString('base64url');
  const account = await api.register('bench@gateway.local', password, 'Bench');
  const operator = await api.login(stack.secrets.adminEmail, stack.secrets.adminPassword);
  if (!operator) throw new Error("the operator can't log in");
  await api.topUp(operator, account.id, TOP_UP_USD);
  const { key: apiKey } = await api.createKey(account.token, 'bench');
  return { api, account, apiKey };
}

function processGroups(stack: Stack, engines: BenchEngines | undefined) {
  const ofService = (name: ServiceName): ProcessGroup => ({
    name,
    pids: () => stack.processes().flatMap(({ service, pid }) => (service === name ? [pid] : [])),
  });
  return {
    services: GATEWAY_SERVICES.map(ofService),
    simulator: ofService('simulator'),
    postgres: engines?.postgres ?? withChildren('PostgreSQL', () => postgresPid(stack)),
    redis: engines?.redis,
  };
}

function postgresPid(stack: Stack): number {
  const pid = stack.engines.postgresPid();
  if (pid === undefined) throw new Error('PostgreSQL is down');
  return pid;
}
