import type { ChatProvider, UpstreamAddress } from '../../domain/chat-provider';
import type { AccessTokenCache } from './access-token-cache';

/** Returns an address with the token of a credential; a promise if the token has to be fetched. */
export function withBearer(
  tokens: AccessTokenCache,
  { url, headers }: UpstreamAddress,
): ReturnType<ChatProvider['address']> {
  const addressWith = (token: string): UpstreamAddress => ({
    url,
    headers: { ...headers, authorization: `Bearer ${token}` },
  });
  const token = tokens.get();
  return typeof token === 'string' ? addressWith(token) : token.then(addressWith);
}
