import { linkExpiryMs } from '../videos/rules/link-expiry';
import type { GeneratedVideo } from '../videos/rules/video-provider';
import { brokenReply } from './refusal';

/** The message for a video that the provider's policy forbids. */
export const POLICY_DETAIL = 'refused by the provider’s content policy';

/** Returns a provider's link to a result; undefined if it is invalid. */
export function videoLink(url: unknown, durationSeconds?: number): GeneratedVideo | undefined {
  if (typeof url !== 'string' || !/^https?:\/\//.test(url) || !URL.canParse(url)) return undefined;
  const expiresAtMs = linkExpiryMs(url);
  return {
    url,
    ...(durationSeconds !== undefined && durationSeconds > 0 && { durationSeconds }),
    ...(expiresAtMs !== undefined && { expiresAtMs }),
  };
}

/** Characters that can be stored and sent again. */
const ID = /^[\x21-\x7e]{1,512}$/;

/** Returns a task's id; undefined if there is none. @throws UpstreamError for an invalid one */
export function idOf(value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || text === '') return undefined;
  if (ID.test(text)) return text;
  throw brokenReply('an id that can’t be kept');
}

/** Reads a figure in any notation; NaN for an invalid one, undefined if there is none. */
export function readFigure(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^\d{1,9}(\.\d{1,9})?$/.test(value) ? Number(value) : Number.NaN;
}
