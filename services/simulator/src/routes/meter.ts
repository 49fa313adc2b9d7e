import type { MediaUsage } from '../domain/media-usage';
import type { Meter, MeterEntry, MeterTotals } from '../domain/meter';
import type { TaskStore } from '../domain/task-store';
import type { Usage } from '../domain/usage';
import type { Call } from '../http/call';
import { sendJson } from '../http/send';

const DEFAULT_LIMIT = 1_000;
const MAX_LIMIT = 200_000;

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** GET /meter?limit=&after=&request_id= and POST /meter/reset. */
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
    ...toTotals(meter.totals),
    in_flight: meter.inFlight,
    by_model: Object.fromEntries([...meter.byModel].map(([model, totals]) => [model, toTotals(totals)])),
    entries: entries.map(toEntry),
  };
}

function toTotals(totals: MeterTotals) {
  return {
    calls: totals.calls,
    ...toUsage(totals),
    images: totals.images,
    input_image_tokens: totals.inputImageTokens,
    output_image_tokens: totals.outputImageTokens,
    tasks: totals.tasks,
    seconds: totals.seconds,
  };
}

function toEntry(entry: MeterEntry) {
  return {
    id: entry.id,
    kind: entry.kind,
    at: new Date(entry.atMs).toISOString(),
    provider: entry.provider,
    model: entry.model,
    request_id: entry.requestId,
    stream: entry.stream,
    signed_parts: entry.signedParts,
    status: entry.status,
    ...toUsage(entry.usage),
    ...(entry.media === undefined ? {} : { media: toMedia(entry.media) }),
    finished: entry.finished,
    aborted: entry.aborted,
  };
}

function toMedia(media: MediaUsage) {
  return {
    images: media.images,
    size: media.size,
    quality: media.quality,
    input_image_tokens: media.inputImageTokens,
    output_image_tokens: media.outputImageTokens,
    seconds: media.seconds,
    tier: media.tier,
    task_id: media.taskId,
    uploads: media.uploads,
  };
}

function toUsage(usage: Usage) {
  return {
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    cached_tokens: usage.cachedTokens,
    cache_write_tokens: usage.cacheWriteTokens,
    reasoning_tokens: usage.reasoningTokens,
  };
}

function integer(text: string): number | null {
  return /^\d{1,15}$/.test(text) ? Number(text) : null;
}
