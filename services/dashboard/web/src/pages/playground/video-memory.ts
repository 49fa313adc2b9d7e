/** A requested video, without its prompt. */
export interface StoredVideo {
  readonly task_id: string;
  readonly provider: string;
  readonly key_id: string;
  readonly model: string;
  readonly startedMs: number;
  readonly requestId?: string;
  /** Can be downloaded; needs no polling. */
  readonly isCompleted?: boolean;
}

type BrowserStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>;

const MAX_REMEMBERED = 20;
/** How long the gateway keeps a task that has ended. */
const MAX_AGE_MS = 31 * 24 * 3_600_000;
const PREFIX = 'gateway-videos/';

/**
 * Videos are paid for, so their user finds them again in this browser; other users who log in later do not. Each change
 * starts from what is stored, because other tabs change it too.
 */
export class VideoMemory {
  readonly #storage: BrowserStorage | undefined;
  readonly #name: string;
  readonly #nowMs: () => number;
  /** What is stored, or would be if storage were available. */
  #videos: readonly StoredVideo[] = [];

  constructor(
    accountId: string,
    userId: string,
    storage: BrowserStorage | undefined = browserStorage(),
    nowMs = Date.now,
  ) {
    this.#storage = storage;
    this.#name = `${PREFIX}${accountId}/${userId}`;
    this.#nowMs = nowMs;
    this.#forgetOthersOld();
  }

  all(): readonly StoredVideo[] {
    try {
      const text = this.#storage?.getItem(this.#name);
      if (this.#storage) this.#videos = this.#parse(text);
    } catch {
      // Storage is blocked: they are on this page only.
    }
    return this.#videos;
  }

  add(video: StoredVideo): readonly StoredVideo[] {
    return this.#keep([video, ...this.#without(video.task_id)]);
  }

  remove(taskId: string): readonly StoredVideo[] {
    return this.#keep(this.#without(taskId));
  }

  complete(taskId: string): readonly StoredVideo[] {
    return this.#keep(
      this.all().map((video) => (video.task_id === taskId ? { ...video, isCompleted: true } : video)),
    );
  }

  #without(taskId: string): readonly StoredVideo[] {
    return this.all().filter(({ task_id }) => task_id !== taskId);
  }

  #keep(videos: readonly StoredVideo[]): readonly StoredVideo[] {
    this.#videos = videos.slice(0, MAX_REMEMBERED);
    try {
      this.#storage?.setItem(this.#name, JSON.stringify(this.#videos));
    } catch {
      // Storage is blocked: they are on this page only.
    }
    return this.#videos;
  }

  #parse(text: string | null | undefined): StoredVideo[] {
    try {
      const stored: unknown = JSON.parse(text ?? '[]');
      const expiredBeforeMs = this.#nowMs() - MAX_AGE_MS;
      const videos = Array.isArray(stored) ? stored.filter(isStoredVideo) : [];
      return videos.filter(({ startedMs }) => startedMs > expiredBeforeMs).slice(0, MAX_REMEMBERED);
    } catch {
      return [];
    }
  }

  /** Removes lists whose tasks have all expired, so that storage does not fill up. */
  #forgetOthersOld(): void {
    try {
      const storage = this.#storage;
      if (!storage) return;
      const names = Array.from({ length: storage.length }, (_, at) => storage.key(at) ?? '');
      for (const name of names.filter((one) => one.startsWith(PREFIX))) {
        if (this.#parse(storage.getItem(name)).length === 0) storage.removeItem(name);
      }
    } catch {
      // Storage is blocked.
    }
  }
}

function browserStorage(): Storage | undefined {
  try {
    return localStorage;
  } catch {
    return undefined;
  }
}

const TEXTS = ['task_id', 'provider', 'key_id', 'model'] as const;

function isStoredVideo(value: unknown): value is StoredVideo {
  if (typeof value !== 'object' || value === null) return false;
  const video = value as Record<string, unknown>;
  return TEXTS.every((name) => typeof video[name] === 'string') && typeof video.startedMs === 'number';
}
