import type { ExpectedReply } from '../load/load-contract';
import { COMMON_MODEL, KEYS, model, OLD_KEY, OLD_MODEL, RARE_KEY, RARE_RECORDS } from './record-set';

export interface DashboardQuery {
  readonly title: string;
  /** Paths below `/api/v1`, used in turn. */
  readonly paths: readonly string[];
  readonly expected: ExpectedReply;
  /** Sent by the small account. */
  readonly small?: true;
}

export interface QueryParameters {
  readonly keyIds: readonly string[];
  /** Returns a time before the insertion, as a query parameter. */
  readonly daysAgo: (days: number) => string;
  /** Cursors of pages at several times in the past. */
  readonly cursors: readonly string[];
}

const PAGE = 100;

/** Returns the queries of the overview page and of the request log with each of its filters. */
export function dashboardQueries(parameters: QueryParameters): DashboardQuery[] {
  return [...overview, ...byOneFilter(parameters), ...bySeveral(parameters), ...ofSmallAccount];
}

const usage = (by: string): DashboardQuery => ({
  title: `usage by ${by.replace(',', ' and ')}`,
  paths: [`usage?group_by=${by}`],
  expected: { rows: undefined, each: {} },
});

const log = (
  title: string,
  filter: Record<string, string>,
  { rows = PAGE, each = {} }: { rows?: number; each?: Record<string, unknown> } = {},
): DashboardQuery => ({
  title: `log, ${title}`,
  paths: [`requests?${new URLSearchParams({ limit: String(PAGE), ...filter })}`],
  expected: { rows, each },
});

const overview: DashboardQuery[] = [
  ...['day', 'model', 'key', 'day,model'].map(usage),
  { ...log('', { status: 'failed', limit: '5' }, { rows: 5 }), title: 'latest failures' },
  { title: 'balance', paths: ['billing/balance'], expected: { rows: undefined, each: {} } },
  { title: 'keys', paths: ['keys?limit=100'], expected: { rows: PAGE, each: {} } },
];

const keyAt = ({ keyIds }: QueryParameters, number: number) => keyIds[number] ?? '';

function byOneFilter(parameters: QueryParameters): DashboardQuery[] {
  const { cursors, daysAgo } = parameters;
  const ofKey = (title: string, number: number, rows = PAGE) => {
    const key_id = keyAt(parameters, number);
    return log(title, { key_id }, { rows, each: { key_id } });
  };
  const ofModel = (title: string, name: string, rows = PAGE) =>
    log(title, { model: name }, { rows, each: { model: name } });
  const ofStatus = (status: number, rows = PAGE) =>
    log(`status ${status}`, { status: String(status) }, { rows, each: { status } });
  const ofError = (title: string, error_code: string, rows = PAGE) =>
    log(title, { error_code }, { rows, each: { error_code } });
  return [
    log('newest', {}),
    {
      ...log('deep pages', {}),
      paths: cursors.map((cursor) => `requests?limit=${PAGE}&cursor=${cursor}`),
    },
    log('an hour 20 days ago', { from: daysAgo(20), to: daysAgo(20 - 1 / 24) }),
    log('a time before all records', { to: daysAgo(31) }, { rows: 0 }),
    ofKey('busiest key', 0),
    ofKey('key with ten calls', RARE_KEY, RARE_RECORDS),
    ofKey('key with old calls only', OLD_KEY),
    log('unknown key', { key_id: 'key_none' }, { rows: 0 }),
    ofModel('common model', COMMON_MODEL),
    ofModel('model with old calls only', OLD_MODEL),
    ofModel('unknown model', 'bench/none', 0),
    log('ok', { status: 'ok' }, { each: { error_code: null } }),
    log('failed', { status: 'failed' }),
    ofStatus(200),
    ofStatus(429),
    ofStatus(499),
    ofStatus(504),
    ofStatus(503, 0),
    ofStatus(201, 0),
    ofError('common error', 'rpm_rate_limited'),
    ofError('error in old calls only', 'image_generation_timeout'),
    ofError('error without calls', 'upstream_unavailable', 0),
  ];
}

/** Pairs of common filters; most of the pairs match no calls. */
function bySeveral(parameters: QueryParameters): DashboardQuery[] {
  const key_id = keyAt(parameters, 0);
  const nothing = { rows: 0 };
  return [
    log('key and its model', { key_id, model: model(0) }, { each: { key_id, model: model(0) } }),
    log('key, model of other keys', { key_id, model: COMMON_MODEL }, nothing),
    log('key, error of other keys', { key_id, error_code: 'rpm_rate_limited' }, nothing),
    log('key, status of other keys', { key_id, status: '429' }, nothing),
    log('key without failures, failed', { key_id, status: 'failed' }, nothing),
    log('key, status 201', { key_id, status: '201' }, nothing),
    log('model, error of other models', { model: COMMON_MODEL, error_code: 'upstream_failed' }, nothing),
    log('model, status of other models', { model: COMMON_MODEL, status: '502' }, nothing),
    log(
      'key and model, all days but one',
      { key_id, model: COMMON_MODEL, to: parameters.daysAgo(1) },
      nothing,
    ),
    log('least busy key, common model', { key_id: keyAt(parameters, KEYS - 1), model: COMMON_MODEL }),
  ];
}

const ofSmallAccount: DashboardQuery[] = [
  { ...log('small account, newest', {}), small: true },
  { ...log('small account, unknown model', { model: 'bench/none' }, { rows: 0 }), small: true },
  { ...usage('day'), title: 'small account, usage by day', small: true },
];
