import { createHmac } from 'node:crypto';
import type { KlingKeys } from './kling-keys';

const LIFETIME_SECONDS = 30 * 60;
/** Tolerance for their clock being behind ours. */
const LEEWAY_SECONDS = 5;

/** The bearer of one call: a JWT (HS256) with our access key, signed with our secret key. */
export function accessToken({ accessKey, secretKey }: KlingKeys, nowMs: number): string {
  const nowSeconds = Math.floor(nowMs / 1_000);
  const claims = { iss: accessKey, exp: nowSeconds + LIFETIME_SECONDS, nbf: nowSeconds - LEEWAY_SECONDS };
  const signed = `${base64url({ alg: 'HS256', typ: 'JWT' })}.${base64url(claims)}`;
  return `${signed}.${createHmac('sha256', secretKey).update(signed).digest('base64url')}`;
}

const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
