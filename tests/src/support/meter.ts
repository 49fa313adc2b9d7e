/** Media usage of a call for images or a video, or of a task's end. */
export interface MeteredMedia {
  readonly images: number;
  readonly size: string | null;
  readonly quality: string | null;
  /** Included in the entry's tokens. */
  readonly input_image_tokens: number;
  readonly output_image_tokens: number;
  readonly seconds: number;
  readonly tier: string | null;
  readonly task_id: string | null;
  /** Uploaded files as received. */
  readonly uploads: readonly {
    readonly part: string;
    readonly bytes: number;
    readonly sha256: string;
    readonly megapixels?: number;
  }[];
}

export interface MeterEntry {
  readonly id: number;
  /** Time of the call's end. */
  readonly at: string;
  readonly model: string;
  readonly request_id: string | null;
  readonly stream: boolean;
  readonly status: number;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly cached_tokens: number;
  readonly cache_write_tokens: number;
  readonly reasoning_tokens: number;
  /** Those of the prompt and of the completion that are audio. */
  readonly audio_prompt_tokens: number;
  readonly audio_completion_tokens: number;
  /** Number of history parts with the provider's own signature. */
  readonly signed_parts: number;
  readonly finished: boolean;
  readonly aborted: boolean;
  readonly media?: MeteredMedia;
}

export interface Meter {
  readonly calls: number;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly in_flight: number;
  /** Oldest first. */
  readonly entries: readonly MeterEntry[];
}

export interface MeterQuery {
  readonly requestId?: string;
  readonly limit?: number;
  /** Only entries with a greater id. */
  readonly after?: number;
}

/** The simulator's own count of requests and replies. */
export async function readMeter(simulatorUrl: string, query: MeterQuery = {}): Promise<Meter> {
  const url = new URL('/meter', simulatorUrl);
  if (query.requestId) url.searchParams.set('request_id', query.requestId);
  if (query.after !== undefined) url.searchParams.set('after', String(query.after));
  if (query.limit) url.searchParams.set('limit', String(query.limit));
  const response = await fetch(url);
  if (!response.ok) throw new Error(`meter: ${response.status} ${await response.text()}`);
  return (await response.json()) as Meter;
}
