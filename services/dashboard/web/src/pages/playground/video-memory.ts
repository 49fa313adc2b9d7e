/** A video that was ordered here; its prompt is not kept. */
export interface OrderedVideo {
  readonly task_id: string;
  readonly provider: string;
  readonly key_id: string;
  readonly model: string;
  readonly startedMs: number;
  readonly requestId?: string;
  /** It is there to be fetched: nobody needs to look whether it is. */
  readonly isCompleted?: boolean;
}

type Kept = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>;

const MAX_REMEMBERED = 20;
/** As long as the gateway keeps a task that has ended. */
const MAX_AGE_MS = 31 * 24 * 3_600_000;
const PREFIX = 'gateway-videos/';

/**
 * Ordered videos are paid for, so who ordered them finds them again in this browser; nobody else does, who logs in on it
 * after them. Each change begins with what is stored, as other tabs change it, too.
 */
export class VideoMemory {
  readonly #storage: Kept | undefined;
  readonly #name: string;
  readonly #nowMs: () => number;
  /** What is stored, or would be. */
  #videos: readonly OrderedVideo[] = [];

  constructor(accountId: string, userId: string, storage: Kept | undefined = ownStorage(), nowMs = Date.now) {
    this.#storage = storage;
    this.#name = `${PREFIX}${accountId}/${userId}`;
    this.#nowMs = nowMs;
    this.#forgetOthersOld();
  }

  all(): readonly OrderedVideo[] {
    try {
      const text = this.#storage?.getItem(this.#name);
      if (this.#storage) this.#videos = this.#parse(text);
    } catch {
      // Then they are on this page only.
    }
    return this.#videos;
  }

  add(video: OrderedVideo): readonly OrderedVideo[] {
    return this.#keep([video, ...this.#without(video.task_id)]);
  }

  remove(taskId: string): readonly OrderedVideo[] {
    return this.#keep(this.#without(taskId));
  }

  complete(taskId: string): readonly OrderedVideo[] {
    return this.#keep(
      this.all().map((video) => (video.task_id === taskId ? { ...video, isCompleted: true } : video)),
    );
  }

  #without(taskId: string): readonly OrderedVideo[] {
    return this.all().filter(({ task_id }) => task_id !== taskId);
  }

  #keep(videos: readonly OrderedVideo[]): readonly OrderedVideo[] {
    this.#videos = videos.slice(0, MAX_REMEMBERED);
    try {
      this.#storage?.setItem(this.#name, JSON.stringify(this.#videos));
    } catch {
      // Then they are on this page only.
    }
    return this.#videos;
  }

  #parse(text: string | null | undefined): OrderedVideo[] {
    try {
      const stored: unknown = JSON.parse(text ?? '[]');
      const youngest = this.#nowMs() - MAX_AGE_MS;
      const videos = Array.isArray(stored) ? stored.filter(isOrderedVideo) : [];
      return videos.filter(({ startedMs }) => startedMs > youngest).slice(0, MAX_REMEMBERED);
    } catch {
      return [];
    }
  }

  /** Lists of which nothing is left to be found, so that a browser of many does not fill up. */
  #forgetOthersOld(): void {
    try {
      const storage = this.#storage;
      if (!storage) return;
      const names = Array.from({ length: storage.length }, (_, at) => storage.key(at) ?? '');
      for (const name of names.filter((one) => one.startsWith(PREFIX))) {
        if (this.#parse(storage.getItem(name)).length === 0) storage.removeItem(name);
      }
    } catch {
      // Nothing can be kept either.
    }
  }
}

function ownStorage(): Storage | undefined {
  try {
    return localStorage;
  } catch {
    return undefined;
  }
}

const TEXTS = ['task_id', 'provider', 'key_id', 'model'] as const;

function isOrderedVideo(value: unknown): value is OrderedVideo {
  if (typeof value !== 'object' || value === null) return false;
  const video = value as Record<string, unknown>;
  return TEXTS.every((name) => typeof video[name] === 'string') && typeof video.startedMs === 'number';
}
