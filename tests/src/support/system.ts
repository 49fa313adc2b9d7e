import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Account,
  type Balance,
  DashboardApi,
  type EngineAddresses,
  type ServiceName,
  type Stack,
  type StackOptions,
  startStack,
} from '@gateway/local-stack';
import { createEngineSet } from './engines';
import { type Meter, type MeterQuery, readMeter } from './meter';
import { readMetric } from './metrics';

/** An account with a key and a balance. */
export interface Customer extends Account {
  readonly apiKey: string;
  readonly keyId: string;
}

export interface System {
  readonly stack: Stack;
  readonly dashboard: DashboardApi;
  /** Prefix of its Kafka topics, if there is Kafka. */
  readonly topicPrefix: string;
  /** Registers an account, tops it up (10 USD by default) and creates a key with these limits. */
  provision(options?: { balanceUsd?: number; key?: object }): Promise<Customer>;
  operatorToken(): Promise<string>;
  /** Waits until nothing is held and returns the balance. @throws if that takes longer than the design allows */
  settled(customer: Account, timeoutMs?: number): Promise<Balance>;
  /** Returns the simulator's meter entries of one request, or of the latest calls. */
  meter(query?: MeterQuery): Promise<Meter>;
  /** Reconciles the ledger now and returns `ledger_drift_nano`. */
  drift(): Promise<number>;
  metric(service: ServiceName, name: string, index?: number): Promise<number>;
  /** Returns the number of image and video bills that billing has not acknowledged. */
  bills(): Promise<number>;
  /** Stops all processes and removes their data. */
  stop(): Promise<void>;
}

export interface SystemOptions
  extends Pick<
    StackOptions,
    | 'instances'
    | 'settings'
    | 'instanceSettings'
    | 'commandPrefix'
    | 'autoRestart'
    | 'env'
    | 'chatJournal'
    | 'certificates'
  > {
  /** Engines of the test, in place of those of this run. */
  readonly engines?: EngineAddresses;
  /** Origin of the dashboard's API; by default the first edge. */
  readonly dashboardUrl?: string;
}

/** Settling takes milliseconds; much longer on a busy machine, and after a process was killed. */
const SETTLED_WITHIN_MS = 10_000;
const POLL_INTERVAL_MS = 20;
/** Much shorter than a login's lifetime. */
const LOGIN_FRESH_MS = 5 * 60_000;

/** Starts the whole gateway with its own ports and data, on the engines of this run. */
export async function startSystem(options: SystemOptions = {}): Promise<System> {
  const engines = await createEngineSet();
  const dataDir = mkdtempSync(join(tmpdir(), 'gateway-system-'));
  // As root, PostgreSQL runs as another user, which needs access to the folder.
  chmodSync(dataDir, 0o755);
  const remove = async () => {
    await engines.remove();
    if (!process.env.TEST_KEEP_DATA) rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    const { addresses, kafkaTopicPrefix } = engines;
    // Tests read nothing from the internet.
    const settings = { ...options.settings, catalog: { PRICE_LIST: 'none', ...options.settings?.catalog } };
    const given = { ...addresses, ...options.engines };
    const stack = await startStack({ ...options, settings, dataDir, engines: given, kafkaTopicPrefix });
    return createSystem(stack, options.dashboardUrl ?? stack.dashboardUrl, kafkaTopicPrefix, remove);
  } catch (error) {
    await remove();
    throw error;
  }
}

function createSystem(
  stack: Stack,
  dashboardUrl: string,
  topicPrefix: string,
  remove: () => Promise<void>,
): System {
  const dashboard = new DashboardApi(dashboardUrl);
  const logIn = async () => {
    const token = await dashboard.login(stack.secrets.adminEmail, stack.secrets.adminPassword);
    if (!token) throw new Error('the operator cannot log in');
    return token;
  };
  let login: { readonly token: Promise<string>; readonly atMs: number } | undefined;
  /** Shares one login between concurrent callers, because many concurrent logins are refused. */
  const operatorToken = (): Promise<string> => {
    if (!login || Date.now() - login.atMs >= LOGIN_FRESH_MS) {
      login = { token: logIn(), atMs: Date.now() };
      login.token.catch(() => {
        login = undefined;
      });
    }
    return login.token;
  };
  const metric = (service: ServiceName, name: string, index = 0) =>
    readMetric(stack.adminUrl(service, index), name);
  const drift = () => metric('billing', 'ledger_drift_nano');

  return {
    stack,
    topicPrefix,
    dashboard,
    operatorToken,
    metric,
    drift,
    bills: () => metric('media', 'media_bills'),
    async provision({ balanceUsd = 10, key = {} } = {}) {
      const name = randomBytes(8).toString('hex');
      const account = await dashboard.register(`${name}@example.com`, randomBytes(12).toString('hex'), name);
      if (balanceUsd > 0) await dashboard.topUp(await operatorToken(), account.id, balanceUsd);
      const { id: keyId, key: apiKey } = await dashboard.createKey(account.token, name, key);
      return { ...account, apiKey, keyId };
    },
    async settled({ token }, timeoutMs = SETTLED_WITHIN_MS) {
      const deadlineMs = performance.now() + timeoutMs;
      for (;;) {
        const balance = await dashboard.balance(token);
        if (balance.held === 0) return balance;
        if (performance.now() > deadlineMs)
          throw new Error(`${balance.held} USD still held after ${timeoutMs} ms`);
        await sleep(POLL_INTERVAL_MS);
      }
    },
    meter: (query) => readMeter(stack.simulatorUrl, query),
    async stop() {
      await stack.stop();
      await remove();
    },
  };
}
