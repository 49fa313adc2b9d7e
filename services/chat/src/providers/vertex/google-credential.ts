import { createPrivateKey } from 'node:crypto';
import { z } from 'zod';
import { AccessTokenCache } from '../cloud-auth/access-token-cache';
import { parseJsonSecret } from '../cloud-auth/parse-json-secret';
import { defaultToken, serviceAccountToken } from './google-tokens';

/**
 * A key of a service account. Other kinds of credentials are refused, because they name URLs to fetch or programs to run
 * (cloud.google.com/docs/authentication/external/externally-sourced-credentials).
 */
const serviceAccount = z.object({
  type: z.literal('service_account'),
  client_email: z.string().min(3).max(320),
  private_key: z.string().max(8_192).refine(isPrivateKey),
});

/** The secret for the Application Default Credentials of the machine on which the service runs. */
const APPLICATION_DEFAULT = 'adc';
/** Their token is sent to Google only: unlike other secrets, it is not the provider's but the machine's. */
const GOOGLE = /^https:\/\/([a-z0-9-]+\.)*googleapis\.com$/;

/** A credential of Vertex AI: an API key of the express mode, or the tokens of an account. */
export type GoogleCredential = { readonly apiKey: string } | { readonly tokens: AccessTokenCache };

/**
 * Returns the credential in a secret: the JSON key of a service account, `adc`, or an API key.
 * @throws Error without the secret if it can't be used
 */
export function googleCredential(secret: string, baseUrl: string): GoogleCredential {
  const account = parseJsonSecret(secret, serviceAccount, 'the key of a service account');
  if (account) return { tokens: new AccessTokenCache(() => serviceAccountToken(account)) };
  if (secret !== APPLICATION_DEFAULT) return { apiKey: secret };
  if (!GOOGLE.test(new URL(baseUrl).origin)) {
    throw new Error('Application Default Credentials are only sent to googleapis.com');
  }
  return { tokens: new AccessTokenCache(defaultToken) };
}

function isPrivateKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa';
  } catch {
    return false;
  }
}
