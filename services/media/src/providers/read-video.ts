import { linkExpiryMs } from '../domain/link-expiry';
import type { MadeVideo } from '../domain/video-provider';

const MAX_DETAIL_CHARS = 300;

/** What is said of a video that a provider's policy forbids, in whatever words it told that. */
export const POLICY_DETAIL = 'refused by the provider’s content policy';

/** A provider's link to what it made; undefined for what is none. */
export function videoAt(url: unknown, durationSeconds?: number): MadeVideo | undefined {
  if (typeof url !== 'string' || !/^https?:\/\//.test(url) || !URL.canParse(url)) return undefined;
  const expiresAtMs = linkExpiryMs(url);
  return {
    url,
    ...(durationSeconds !== undefined && durationSeconds > 0 && { durationSeconds }),
    ...(expiresAtMs !== undefined && { expiresAtMs }),
  };
}

/** An id that can stand in a path. */
export function idOf(value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && text !== '' ? text : undefined;
}

/** A figure however it is written; NaN for one that makes no sense, undefined where there is none. */
export function figureOf(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^\d{1,9}(\.\d{1,9})?$/.test(value) ? Number(value) : Number.NaN;
}

export const shortened = (text: string): string => text.slice(0, MAX_DETAIL_CHARS);
