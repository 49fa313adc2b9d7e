import { apiGet, type Page } from './client';

/** Milliseconds of consecutive stages. */
export interface RequestTimings {
  readonly receive_ms: number;
  readonly admit_ms: number;
  /** Null: the provider sent no response. */
  readonly first_byte_ms: number | null;
  readonly reply_ms: number | null;
  readonly total_ms: number;
}

export interface RequestRecord {
  readonly id: string;
  readonly created_at: string;
  readonly key_id: string;
  readonly endpoint: string;
  readonly model: string | null;
  readonly provider: string | null;
  /** The HTTP status; null while a video task is in progress. */
  readonly status: number | null;
  readonly in_progress: boolean;
  readonly task_id: string | null;
  /** The model that the caller named, if a fallback model answered. */
  readonly requested_model: string | null;
  readonly error_code: string | null;
  readonly streamed: boolean;
  readonly input_tokens: number;
  readonly cache_read_tokens: number;
  readonly cache_write_tokens: number;
  /** Usage that is not counted in tokens, by the name of the unit. */
  readonly units: Readonly<Record<string, number>>;
  readonly output_tokens: number;
  readonly reasoning_tokens: number;
  readonly images: number;
  readonly seconds: number;
  readonly cost: number;
  /** The maximum cost of a video task in progress. */
  readonly held: number;
  /** Null if the process that handled the call ended before it recorded them. */
  readonly timings: RequestTimings | null;
}

export interface RequestFilter {
  readonly from?: string;
  readonly to?: string;
  readonly key_id?: string;
  readonly model?: string;
  readonly status?: string | number;
  readonly error_code?: string;
}

export const listRequests = (filter: RequestFilter = {}, cursor?: string, limit?: number) =>
  apiGet<Page<RequestRecord>>('requests', { ...filter, cursor, limit });
export const getRequest = (id: string) => apiGet<RequestRecord>(`requests/${encodeURIComponent(id)}`);
