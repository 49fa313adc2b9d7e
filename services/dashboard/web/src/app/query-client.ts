import { QueryClient } from '@tanstack/react-query';
import { ApiError, mayHaveSucceeded } from '../api/api-error';
import type { LoginStore } from '../api/login-store';

const FRESH_MS = 5_000;
const MAX_RETRIES = 2;

/** A refusal would be repeated; a failure or a rate limit may pass. */
function shouldRetry(failures: number, error: Error): boolean {
  const mayPass = mayHaveSucceeded(error) || (error instanceof ApiError && error.status === 429);
  return mayPass && failures < MAX_RETRIES;
}

/** Fails at once without a network: if it were queued, a top-up could be made when the user no longer expects it. */
const networkMode = 'always';

export const createQueryClient = () =>
  new QueryClient({
    defaultOptions: {
      queries: { staleTime: FRESH_MS, retry: shouldRetry, networkMode },
      mutations: { networkMode },
    },
  });

/** Clears all data at a change of user. Call it before the first render, so that its listener runs first. */
export function clearWithUser(client: QueryClient, login: LoginStore): void {
  let { userId } = login.state;
  login.subscribe(() => {
    if (login.state.userId === userId) return;
    userId = login.state.userId;
    client.clear();
  });
}
