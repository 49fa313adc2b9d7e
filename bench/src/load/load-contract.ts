import type { CallerFormat } from './caller-format';

/** Calls on so many connections, on each one after another. */
export interface CallsLoad {
  readonly kind: 'calls';
  readonly connections: number;
  readonly durationMs: number;
  /** What every reply must say. */
  readonly replyText: string;
  /** Between an answer and the next call; absent: none. */
  readonly pauseMs?: number;
  /** Between the beginnings of two calls of a connection, all begin together; absent: as soon as it is answered. */
  readonly everyMs?: number;
}

/** Streams side by side, each read to its end. */
export interface StreamsLoad {
  readonly kind: 'streams';
  readonly streams: number;
  /** Between the starts of two streams. */
  readonly spacingMs: number;
  /** Chunks of text in each. */
  readonly chunks: number;
  readonly chunkDelayMs: number;
  /** Before and after the chunks of text: roles, borders of blocks, finish reasons, figures, last markers. */
  readonly framing: { readonly before: number; readonly after: number };
}

export type LoadShape = CallsLoad | StreamsLoad;

/** What the generator is told to do. */
export interface LoadOrder {
  readonly load: LoadShape;
  readonly format: CallerFormat;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Each caller reserves again when it was answered, or when its hold has been released. */
export interface ReservesLoad {
  readonly kind: 'reserves';
  readonly callers: number;
  readonly durationMs: number;
  readonly release: boolean;
}

/** Releases what earlier orders have left. */
export interface ReleasesLoad {
  readonly kind: 'releases';
  readonly durationMs: number;
}

/** Callers of billing's `Reserve`, all on one stream. */
export interface ReserveOrder {
  readonly load: ReservesLoad | ReleasesLoad;
  readonly address: string;
  readonly serviceSecret: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly valueId: string;
  /** Whether the key's rates must be told with every grant. */
  readonly rated: boolean;
}

/** Pages of the dashboard, each connection asking for one after another. */
export interface QuestionsLoad {
  readonly kind: 'questions';
  readonly connections: number;
  readonly durationMs: number;
}

/** What must be in an answer's `data`. */
export interface ExpectedAnswer {
  /** How many; undefined: some. Not looked at in an answer that is no list. */
  readonly rows: number | undefined;
  /** The fields that every row has. */
  readonly each: Readonly<Record<string, unknown>>;
}

/** One kind of question; the URLs take turns. */
export interface QuestionsOrder {
  readonly load: QuestionsLoad;
  readonly urls: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly expected: ExpectedAnswer;
}

export type AnyOrder = LoadOrder | ReserveOrder | QuestionsOrder;

export interface LoadResult {
  readonly elapsedMs: number;
  /** Answered well. */
  readonly calls: number;
  /** Chunks of text received; 0 where nothing is streamed. */
  readonly chunks: number;
  readonly errors: number;
  /** The first few, in words. */
  readonly errorSamples: readonly string[];
  /** Of whole calls; of a stream, from the moment a chunk was due to its arrival. */
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
}

export type GeneratorMessage = { readonly result: LoadResult } | { readonly failure: string };
