/** A video that was ordered here; its prompt is not kept. */
export interface OrderedVideo {
  readonly task_id: string;
  readonly provider: string;
  readonly key_id: string;
  readonly model: string;
  readonly startedMs: number;
  readonly requestId?: string;
}

const MAX_REMEMBERED = 20;
const storageKey = (accountId: string) => `gateway-videos-${accountId}`;

/** Ordered videos are paid for, so a page that is loaded anew finds them again. */
export function recallVideos(accountId: string): OrderedVideo[] {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(storageKey(accountId)) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isOrderedVideo).slice(0, MAX_REMEMBERED) : [];
  } catch {
    return [];
  }
}

export function rememberVideos(accountId: string, videos: readonly OrderedVideo[]): void {
  try {
    sessionStorage.setItem(storageKey(accountId), JSON.stringify(videos.slice(0, MAX_REMEMBERED)));
  } catch {
    // Then they are on this page only.
  }
}

const TEXTS = ['task_id', 'provider', 'key_id', 'model'] as const;

function isOrderedVideo(value: unknown): value is OrderedVideo {
  if (typeof value !== 'object' || value === null) return false;
  const video = value as Record<string, unknown>;
  return TEXTS.every((name) => typeof video[name] === 'string') && typeof video.startedMs === 'number';
}
