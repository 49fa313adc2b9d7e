import type { RecordsRuns } from '../bench-report';
import type { GatewayUnderTest } from '../gateway/gateway-under-test';
import type { HttpJob, QueryJob } from '../load/load-contract';
import { LoadGenerator } from '../load/load-generator';
import { measure, type Round } from '../measure';
import type { ProcessGroup } from '../procfs/process-group';
import { scenario } from '../scenarios';
import { gatewayTarget } from '../targets';
import { type DashboardQuery, dashboardQueries } from './dashboard-queries';
import { type FilledSums, fillRecords } from './fill-records';
import { DAYS, KEYS, OLD_KEY, OWN_RECORDS, RECORDS } from './record-set';

const DAY_MS = 86_400_000;
const CONNECTIONS = 4;
const RUNS = 3;
const MAX_RUN_SECONDS = 2;
const WARM_UP_MS = 300;
/** Connections for concurrent calls: together with the pause about a hundred calls per second. */
const CALLERS = 4;
const CALL_PAUSE_MS = 30;

export interface RecordsMeasurement {
  readonly gateway: GatewayUnderTest;
  readonly generator: LoadGenerator;
  readonly processes: readonly ProcessGroup[];
  readonly seconds: number;
  readonly signal: AbortSignal;
  readonly progress: (message: string) => void;
}

/** Measures dashboard queries of an account with very many request records, while it makes calls. */
export async function measureRecords(run: RecordsMeasurement): Promise<RecordsRuns> {
  const caller = new LoadGenerator();
  const onAbort = () => caller.stop();
  run.signal.addEventListener('abort', onAbort);
  try {
    const filled = await fill(run);
    const sums = await readSums(run, filled);
    const queries = await prepare(run, filled);
    const runSeconds = Math.min(run.seconds, MAX_RUN_SECONDS);
    const runs = new Map<DashboardQuery, Round[]>(queries.map(({ query }) => [query, []]));
    const concurrentCalls: Round[] = [];
    for (let number = 1; number <= RUNS; number++) {
      run.progress(`queries on ${RECORDS.toLocaleString('en')} requests: run ${number} of ${RUNS}`);
      for (const { query, job } of queries) {
        run.signal.throwIfAborted();
        if (number === 1) await run.generator.run(job(WARM_UP_MS));
        const durationMs = runSeconds * 1_000;
        const [round, calls] = await Promise.all([
          measure(job(durationMs), run.generator, run.processes),
          measure(callsJob(run.gateway, durationMs), caller, []),
        ]);
        runs.get(query)?.push(round);
        concurrentCalls.push(calls);
      }
    }
    const kinds = [...runs].map(([{ title }, rounds]) => ({ title, rounds }));
    return {
      records: RECORDS,
      ownRecords: OWN_RECORDS,
      connections: CONNECTIONS,
      runSeconds,
      sums,
      kinds,
      concurrentCalls,
    };
  } finally {
    run.signal.removeEventListener('abort', onAbort);
    caller.stop();
  }
}

interface InsertedRecords {
  readonly keyIds: readonly string[];
  readonly smallToken: string;
  readonly nowMs: number;
  readonly sums: FilledSums;
}

async function fill({ gateway, signal, progress }: RecordsMeasurement): Promise<InsertedRecords> {
  const { api, account, stack } = gateway;
  const keyIds: string[] = [];
  for (let number = 0; number <= Math.max(KEYS, OLD_KEY); number++) {
    keyIds.push((await api.createKey(account.token, `records ${number}`)).id);
  }
  const small = await api.register('small@gateway.local', account.password, 'Small');
  const nowMs = Date.now();
  const { databaseUrl } = stack.engines;
  const accounts = { accountId: account.id, smallAccountId: small.id };
  const sums = await fillRecords({ databaseUrl, ...accounts, keyIds, nowMs, signal, progress });
  return { keyIds, smallToken: small.token, nowMs, sums };
}

/** Reads the usage sums by each grouping, before any calls are made. */
async function readSums(
  { gateway }: RecordsMeasurement,
  { keyIds, sums }: InsertedRecords,
): Promise<RecordsRuns['sums']> {
  const { api } = gateway;
  const token = await logIn(gateway);
  const rowsBy = async (by: string): Promise<{ group: string; calls: number; errors: number }[]> =>
    (await api.call('GET', `usage?group_by=${by}&from=${dayOf(Date.now() - (DAYS + 1) * DAY_MS)}`, token))
      .data;
  const total = (rows: readonly { calls: number; errors: number }[]) => ({
    calls: rows.reduce((sum, { calls }) => sum + calls, 0),
    errors: rows.reduce((sum, { errors }) => sum + errors, 0),
  });
  const [days, models, keys] = await Promise.all(['day', 'model', 'key'].map(rowsBy));
  const filled = new Set(keyIds);
  return {
    recorded: sums,
    ofFilledKeys: total((keys ?? []).filter(({ group }) => filled.has(group))),
    byKey: total(keys ?? []),
    byDay: total(days ?? []),
    byModel: total(models ?? []),
  };
}

const dayOf = (timeMs: number) => new Date(timeMs).toISOString().slice(0, 10);

/** Logs in again, because a token is valid for 15 minutes and the insertion takes minutes. */
async function logIn({ api, account }: GatewayUnderTest): Promise<string> {
  const token = await api.login(account.email, account.password);
  if (!token) throw new Error("the account can't log in");
  return token;
}

async function prepare({ gateway }: RecordsMeasurement, { keyIds, smallToken, nowMs }: InsertedRecords) {
  const { api, stack } = gateway;
  const token = await logIn(gateway);
  const daysAgo = (days: number) => new Date(nowMs - Math.round(days * DAY_MS)).toISOString();
  const cursors: string[] = [];
  for (const days of [2, 9, 16, 23, 29]) {
    const page = await api.call('GET', `requests?limit=100&to=${daysAgo(days)}`, token);
    cursors.push(page.next_cursor);
  }
  return dashboardQueries({ keyIds, daysAgo, cursors }).map((query) => ({
    query,
    job: (durationMs: number): QueryJob => ({
      load: { kind: 'queries', connections: CONNECTIONS, durationMs },
      urls: query.paths.map((path) => `${stack.dashboardUrl}/api/v1/${path}`),
      headers: { authorization: `Bearer ${query.small ? smallToken : token}` },
      expected: query.expected,
    }),
  }));
}

function callsJob(gateway: GatewayUnderTest, durationMs: number): HttpJob {
  const job = gatewayTarget(gateway).job(scenario('plain', durationMs / 1_000, CALLERS));
  return { ...job, load: { ...job.load, pauseMs: CALL_PAUSE_MS } as HttpJob['load'] };
}
