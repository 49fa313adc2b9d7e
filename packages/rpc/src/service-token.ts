import { createHash } from 'node:crypto';

/** Name of the HTTP header and gRPC metadata key that carry the token. */
export const SERVICE_TOKEN_HEADER = 'x-service-token';

/** Returns the token that authenticates a service: a digest, so that the secret itself is never sent. */
export function serviceToken(secret: string, caller: string): string {
  return createHash('sha256').update(`${caller}\n${secret}`).digest('base64url');
}
