import type { Meter, MeterEntry } from '../domain/meter';
import type { TaskStore } from '../domain/task-store';
import type { Call } from '../http/call';
import { sendJson } from '../http/send';

const DEFAULT_LIMIT = 1_000;
const MAX_LIMIT = 200_000;

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** Answers `GET /meter?limit=&after=&request_id=` and `POST /meter/reset`. */
export function handleMeter(
  call: Call,
  path: string,
  query: URLSearchParams,
  { meter, tasks }: { readonly meter: Meter; readonly tasks: TaskStore },
): void {
  tasks.settle();
  const { status, body } = answer(call.req.method ?? '', path, query, meter);
  sendJson(call.res, status, body);
}

function answer(method: string, path: string, query: URLSearchParams, meter: Meter): Answer {
  if (path === '/meter' && method === 'GET') return readMeter(query, meter);
  if (path !== '/meter/reset' || method !== 'POST') return refuse(404, `no ${method} ${path} here`);
  meter.reset();
  return { status: 200, body: toMeter(meter, []) };
}

function readMeter(query: URLSearchParams, meter: Meter): Answer {
  const limit = integer(query.get('limit') ?? String(DEFAULT_LIMIT));
  const after = query.has('after') ? integer(query.get('after') ?? '') : undefined;
  const requestId = query.get('request_id') ?? undefined;
  if (limit === null || limit > MAX_LIMIT || after === null) {
    return refuse(400, `limit is an integer up to ${MAX_LIMIT}, after is an id`);
  }
  const entries = meter.entries({
    limit,
    ...(after === undefined ? {} : { after }),
    ...(requestId === undefined ? {} : { requestId }),
  });
  return { status: 200, body: toMeter(meter, entries) };
}

function refuse(status: number, message: string): Answer {
  return { status, body: { error: { message } } };
}

function toMeter(meter: Meter, entries: MeterEntry[]) {
  return {
    ...toSnakeCase(meter.totals),
    in_flight: meter.inFlight,
    by_model: Object.fromEntries([...meter.byModel].map(([model, totals]) => [model, toSnakeCase(totals)])),
    entries: entries.map(toEntry),
  };
}

function toEntry({ atMs, usage, media, ...rest }: MeterEntry) {
  const at = new Date(atMs).toISOString();
  return { ...toSnakeCase(rest), at, ...toSnakeCase(usage), ...(media && { media: toSnakeCase(media) }) };
}

const toSnakeCase = (object: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(object).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );

function integer(text: string): number | null {
  return /^\d{1,15}$/.test(text) ? Number(text) : null;
}
