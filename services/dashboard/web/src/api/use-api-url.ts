import { useMe } from './use-me';

/** Where the API listens unless it is set otherwise. */
const USUAL_PORT = 8080;

/** Origin of `/v1`, for snippets. */
export function useApiUrl(): string {
  return useMe().api_url ?? `${window.location.protocol}//${window.location.hostname}:${USUAL_PORT}`;
}
