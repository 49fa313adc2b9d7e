import { useMe } from './use-me';

/** The default port of the API. */
const DEFAULT_PORT = 8080;

/** Returns the origin of `/v1` for snippets; a guess if the gateway's public address is not configured. */
export function useApiUrl(): { apiUrl: string; isGuess: boolean } {
  const { api_url } = useMe();
  const { protocol, hostname } = window.location;
  return { apiUrl: api_url ?? `${protocol}//${hostname}:${DEFAULT_PORT}`, isGuess: api_url === null };
}
