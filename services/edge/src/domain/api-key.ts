/** What `sk-gw-…` may look like on the wire; whether such a key exists is billing's to say. */
const KEY = /^sk-gw-[\x21-\x7e]{1,250}$/;
const BEARER = 'Bearer ';

/** The credentials a request carries, each header as often as it was sent. */
export interface PresentedCredentials {
  readonly authorization: readonly string[];
  readonly xApiKey: readonly string[];
}

/**
 * The presented API key, or undefined when there is none or it is malformed. `Authorization` wins even if
 * it is wrong: a second header must not rescue a bad first one.
 */
export function readApiKey({ authorization, xApiKey }: PresentedCredentials): string | undefined {
  if (authorization.length > 0) {
    const bearer = readBearer(authorization);
    return bearer !== undefined && KEY.test(bearer) ? bearer : undefined;
  }
  const [key] = xApiKey;
  return xApiKey.length === 1 && key !== undefined && KEY.test(key) ? key : undefined;
}

/** Whether an API key is being used, well-formed or not, where only a login token belongs. */
export function looksLikeApiKey({ authorization, xApiKey }: PresentedCredentials): boolean {
  return xApiKey.length > 0 || authorization.some((value) => /^bearer +sk-gw-/i.test(value));
}

/** The value after `Bearer `: that scheme, written so, and a single space. */
export function readBearer(authorization: readonly string[]): string | undefined {
  const [value] = authorization;
  if (authorization.length !== 1 || !value?.startsWith(BEARER)) return undefined;
  const token = value.slice(BEARER.length);
  return token.length > 0 && !/\s/.test(token) ? token : undefined;
}
