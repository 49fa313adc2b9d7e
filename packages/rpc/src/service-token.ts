import { createHash, timingSafeEqual } from 'node:crypto';

/** The HTTP header and gRPC metadata key of the token. */
export const SERVICE_TOKEN_HEADER = 'x-service-token';

/** The token by which a service shows who it is: a digest, so that the secret itself is never sent. */
export function serviceToken(secret: string, caller: string): string {
  return createHash('sha256').update(`${caller}\n${secret}`).digest('base64url');
}

/** Whether the caller made the token with one of the secrets; compared in constant time. */
export function isServiceToken(token: string, secrets: readonly string[], caller: string): boolean {
  const given = Buffer.from(token);
  return secrets.some((secret) => {
    const expected = Buffer.from(serviceToken(secret, caller));
    return expected.length === given.length && timingSafeEqual(expected, given);
  });
}
