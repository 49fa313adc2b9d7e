import { linkExpiryMs } from '../videos/rules/link-expiry';
import type { MadeVideo } from '../videos/rules/video-provider';
import { brokenReply } from './refusal';

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

/** What can be kept, and sent again. */
const ID = /^[\x21-\x7e]{1,512}$/;

/** A task's id; undefined where there is none. @throws UpstreamError for one that can't be kept */
export function idOf(value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || text === '') return undefined;
  if (ID.test(text)) return text;
  throw brokenReply('an id that can’t be kept');
}

/** A figure however it is written; NaN for one that makes no sense, undefined where there is none. */
export function figureOf(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^\d{1,9}(\.\d{1,9})?$/.test(value) ? Number(value) : Number.NaN;
}
