import type { AzureOptions } from '@gateway/providers';
import { z } from 'zod';
import { AccessTokenCache } from '../cloud-auth/access-token-cache';
import { parseJsonSecret } from '../cloud-auth/parse-json-secret';
import { requestToken, toAccessToken } from '../cloud-auth/request-token';

const servicePrincipal = z.strictObject({
  /** Part of the URL of the token endpoint. */
  tenant_id: z.string().regex(/^[A-Za-z0-9.-]{1,253}$/),
  client_id: z.string().min(1).max(200),
  client_secret: z.string().min(1).max(1_000),
});

/** A credential of Azure OpenAI: an API key, or the tokens of an Entra service principal. */
export type AzureCredential = { readonly apiKey: string } | { readonly tokens: AccessTokenCache };

/**
 * Returns the credential in a secret: an API key, or the JSON object of a service principal.
 * @throws Error without the secret if it is neither, or not what `auth` asks for
 */
export function azureCredential(
  secret: string,
  { auth, authority, scope }: Pick<AzureOptions, 'auth' | 'authority' | 'scope'>,
): AzureCredential {
  const what = 'a service principal {tenant_id, client_id, client_secret}';
  const principal = parseJsonSecret(secret, servicePrincipal, what);
  if (auth === 'entra' && !principal) throw new Error(`the secret is not ${what}`);
  if (auth === 'api-key' && principal) throw new Error('the secret is not an API key');
  if (!principal) return { apiKey: secret };
  const url = `${authority.replace(/\/+$/, '')}/${principal.tenant_id}/oauth2/v2.0/token`;
  const { client_id, client_secret } = principal;
  const tokens = new AccessTokenCache(async () => {
    const form = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret, scope });
    const { access_token, expires_in } = await requestToken(url, form);
    return toAccessToken(access_token, Number(expires_in));
  });
  return { tokens };
}
