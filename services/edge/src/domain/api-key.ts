/** The form of an API key; only billing knows whether the key exists. */
const KEY = /^sk-gw-[\x21-\x7e]{1,250}$/;
const BEARER = 'Bearer ';

/** The credentials of a request, each header as often as it was sent. */
export interface PresentedCredentials {
  readonly authorization: readonly string[];
  readonly xApiKey: readonly string[];
  /** `x-goog-api-key` headers and `key` parameters, on paths of Google's format. */
  readonly google?: readonly string[];
}

/**
 * Returns the presented API key, or undefined if it is missing or malformed. `Authorization` takes precedence even if it is
 * invalid: a second header must not make up for a bad first one.
 */
export function readApiKey({
  authorization,
  xApiKey,
  google = [],
}: PresentedCredentials): string | undefined {
  if (authorization.length > 0) {
    const bearer = readBearer(authorization);
    return bearer !== undefined && KEY.test(bearer) ? bearer : undefined;
  }
  const presented = xApiKey.length > 0 ? xApiKey : google;
  const [key] = presented;
  return presented.length === 1 && key !== undefined && KEY.test(key) ? key : undefined;
}

/** Whether an API key, well-formed or not, was sent where a login token is expected. */
export function looksLikeApiKey({ authorization, xApiKey }: PresentedCredentials): boolean {
  return xApiKey.length > 0 || authorization.some((value) => /^bearer +sk-gw-/i.test(value));
}

/** Returns the value after `Bearer `: exactly this scheme and a single space. */
export function readBearer(authorization: readonly string[]): string | undefined {
  const [value] = authorization;
  if (authorization.length !== 1 || !value?.startsWith(BEARER)) return undefined;
  const token = value.slice(BEARER.length);
  return token.length > 0 && !/\s/.test(token) ? token : undefined;
}
