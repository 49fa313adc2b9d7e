import { createHmac, timingSafeEqual } from 'node:crypto';
import { isObject, type Json } from '../json';
import { unauthorized } from './error';

const BEARER = /^Bearer (\S+)$/;

/**
 * Checks Kling's bearer token: a JWT that the caller signs by HS256 with its secret key. `iss` is the access key, `exp` and
 * `nbf` are seconds. @throws ProviderError with the code of the problem
 */
export function checkToken(header: string | undefined, secret: string, nowMs: number): void {
  if (!header) throw unauthorized(1001, 'Authorization is empty');
  const parts = (BEARER.exec(header)?.[1] ?? '').split('.');
  const [head = '', body = '', signature = ''] = parts;
  const claims = parse(body);
  const signed = createHmac('sha256', secret).update(`${head}.${body}`).digest();
  const given = Buffer.from(signature, 'base64url');
  const genuine = given.length === signed.length && timingSafeEqual(given, signed);
  const whole = parts.length === 3 && parse(head).alg === 'HS256';
  if (!whole || !genuine || typeof claims.iss !== 'string' || claims.iss === '') {
    throw unauthorized(1002, 'Authorization is invalid');
  }
  const nowSeconds = nowMs / 1_000;
  if (typeof claims.nbf === 'number' && claims.nbf > nowSeconds) {
    throw unauthorized(1003, 'Authorization is not yet valid');
  }
  if (typeof claims.exp !== 'number' || claims.exp <= nowSeconds) {
    throw unauthorized(1004, 'Authorization has expired');
  }
}

function parse(part: string): Json {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
