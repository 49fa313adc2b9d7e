import { useMe } from './use-me';

/** Where the API listens unless it is set otherwise. */
const USUAL_PORT = 8080;

/** Origin of `/v1`, for snippets; a guess, if the gateway was not told under which address it is reached. */
export function useApiUrl(): { apiUrl: string; isGuess: boolean } {
  const { api_url } = useMe();
  const { protocol, hostname } = window.location;
  return { apiUrl: api_url ?? `${protocol}//${hostname}:${USUAL_PORT}`, isGuess: api_url === null };
}
