import type { CallerFormat } from './caller-format';

/** Sequential calls on each of several connections. */
export interface CallsLoad {
  readonly kind: 'calls';
  readonly connections: number;
  readonly durationMs: number;
  /** Expected text of every reply; absent: any. */
  readonly replyText?: string;
  /** Pause between a reply and the next call; absent: none. */
  readonly pauseMs?: number;
  /** Interval between the starts of two calls of a connection; absent: the next call starts after the reply. */
  readonly everyMs?: number;
}

/** Concurrent streams, each read to its end. */
export interface StreamsLoad {
  readonly kind: 'streams';
  readonly streams: number;
  /** Interval between the starts of two streams. */
  readonly spacingMs: number;
  /** Text chunks in each stream. */
  readonly chunks: number;
  readonly chunkDelayMs: number;
  /** Number of other events before and after the text chunks: role, block start and end, finish reason, usage, end marker. */
  readonly framing: { readonly before: number; readonly after: number };
}

export type LoadShape = CallsLoad | StreamsLoad;

/** A job of the generator: calls or streams with one request. */
export interface HttpJob {
  readonly load: LoadShape;
  readonly format: CallerFormat;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Callers of `Reserve`; each reserves again after the reply, or with `release` after its hold has been released. */
export interface ReservesLoad {
  readonly kind: 'reserves';
  readonly callers: number;
  readonly durationMs: number;
  readonly release: boolean;
}

/** Releases the holds that earlier jobs have left open. */
export interface ReleasesLoad {
  readonly kind: 'releases';
  readonly durationMs: number;
}

/** A job that calls billing's `Reserve` over one stream. */
export interface ReserveJob {
  readonly load: ReservesLoad | ReleasesLoad;
  readonly address: string;
  /** The settings with which chat proves its identity. */
  readonly trust: Readonly<Record<string, string>>;
  readonly accountId: string;
  readonly keyId: string;
  readonly valueId: string;
  /** Whether every grant must contain the key's rate limits. */
  readonly hasLimits: boolean;
}

/** Sequential dashboard queries on each of several connections. */
export interface QueryLoad {
  readonly kind: 'queries';
  readonly connections: number;
  readonly durationMs: number;
}

/** Expected `data` of a reply. */
export interface ExpectedReply {
  /** Number of rows; undefined: at least one. Not checked if the reply is not a list. */
  readonly rows: number | undefined;
  /** Fields that every row must have, with their values. */
  readonly each: Readonly<Record<string, unknown>>;
}

/** A job of one kind of query; its URLs are used in turn. */
export interface QueryJob {
  readonly load: QueryLoad;
  readonly urls: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly expected: ExpectedReply;
}

export type LoadJob = HttpJob | ReserveJob | QueryJob;

export interface LoadResult {
  readonly elapsedMs: number;
  /** Successful calls. */
  readonly calls: number;
  /** Text chunks received; 0 if calls are not streamed. */
  readonly chunks: number;
  readonly errors: number;
  /** Messages of the first few errors. */
  readonly errorSamples: readonly string[];
  /** Latency of calls; for streams, time between the moment a chunk was due and its arrival. */
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
}

export type GeneratorMessage = { readonly result: LoadResult } | { readonly failure: string };
