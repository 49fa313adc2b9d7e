import type { ExpectedAnswer } from '../load/load-contract';
import { COMMON_MODEL, KEYS, model, OLD_KEY, OLD_MODEL, RARE_KEY, RARE_RECORDS } from './filled-account';

export interface Question {
  readonly title: string;
  /** Below `/api/v1`; several take turns. */
  readonly paths: readonly string[];
  readonly expected: ExpectedAnswer;
  /** Asked by the small account. */
  readonly small?: true;
}

export interface Places {
  readonly keyIds: readonly string[];
  /** Times of the fill, as parameters. */
  readonly daysAgo: (days: number) => string;
  /** Of the page after one that begins so many days back. */
  readonly cursors: readonly string[];
}

const PAGE = 100;

/** What the page with an account's overview asks, and the log with each of its filters. */
export function questions(places: Places): Question[] {
  return [...overview, ...byOneFilter(places), ...bySeveral(places), ...ofSmallAccount];
}

const usage = (by: string): Question => ({
  title: `usage by ${by.replace(',', ' and ')}`,
  paths: [`usage?group_by=${by}`],
  expected: { rows: undefined, each: {} },
});

const log = (
  title: string,
  filter: Record<string, string>,
  { rows = PAGE, each = {} }: { rows?: number; each?: Record<string, unknown> } = {},
): Question => ({
  title: `log, ${title}`,
  paths: [`requests?${new URLSearchParams({ limit: String(PAGE), ...filter })}`],
  expected: { rows, each },
});

const overview: Question[] = [
  ...['day', 'model', 'key', 'day,model'].map(usage),
  { ...log('', { status: 'failed', limit: '5' }, { rows: 5 }), title: 'latest failures' },
  { title: 'balance', paths: ['billing/balance'], expected: { rows: undefined, each: {} } },
  { title: 'keys', paths: ['keys?limit=100'], expected: { rows: PAGE, each: {} } },
];

const keyAt = ({ keyIds }: Places, number: number) => keyIds[number] ?? '';

function byOneFilter(places: Places): Question[] {
  const { cursors, daysAgo } = places;
  const ofKey = (title: string, number: number, rows = PAGE) => {
    const key_id = keyAt(places, number);
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
      ...log('pages deep in', {}),
      paths: cursors.map((cursor) => `requests?limit=${PAGE}&cursor=${cursor}`),
    },
    log('an hour 20 days ago', { from: daysAgo(20), to: daysAgo(20 - 1 / 24) }),
    log('a time before all', { to: daysAgo(31) }, { rows: 0 }),
    ofKey('busiest key', 0),
    ofKey('key of ten calls', RARE_KEY, RARE_RECORDS),
    ofKey('key of old calls', OLD_KEY),
    log('no such key', { key_id: 'key_none' }, { rows: 0 }),
    ofModel('common model', COMMON_MODEL),
    ofModel('model of old calls', OLD_MODEL),
    ofModel('no such model', 'bench/none', 0),
    log('ok', { status: 'ok' }, { each: { error_code: null } }),
    log('failed', { status: 'failed' }),
    ofStatus(200),
    ofStatus(429),
    ofStatus(499),
    ofStatus(504),
    ofStatus(503, 0),
    ofStatus(201, 0),
    ofError('common error', 'rpm_rate_limited'),
    ofError('error of old calls', 'image_generation_timeout'),
    ofError('no such error', 'upstream_unavailable', 0),
  ];
}

/** Each of the two is common; most of these pairs are of calls that there are none of. */
function bySeveral(places: Places): Question[] {
  const key_id = keyAt(places, 0);
  const nothing = { rows: 0 };
  return [
    log('key and its model', { key_id, model: model(0) }, { each: { key_id, model: model(0) } }),
    log('key, another model', { key_id, model: COMMON_MODEL }, nothing),
    log('key, another error', { key_id, error_code: 'rpm_rate_limited' }, nothing),
    log('key, another status', { key_id, status: '429' }, nothing),
    log('key, none failed', { key_id, status: 'failed' }, nothing),
    log('key, status 201', { key_id, status: '201' }, nothing),
    log('model, another error', { model: COMMON_MODEL, error_code: 'upstream_failed' }, nothing),
    log('model, another status', { model: COMMON_MODEL, status: '502' }, nothing),
    log('key and model, all days but one', { key_id, model: COMMON_MODEL, to: places.daysAgo(1) }, nothing),
    log('least busy key, common model', { key_id: keyAt(places, KEYS - 1), model: COMMON_MODEL }),
  ];
}

const ofSmallAccount: Question[] = [
  { ...log('small account, newest', {}), small: true },
  { ...log('small account, no such model', { model: 'bench/none' }, { rows: 0 }), small: true },
  { ...usage('day'), title: 'small account, usage by day', small: true },
];
