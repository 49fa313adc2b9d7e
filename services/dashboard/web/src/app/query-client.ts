import { QueryClient } from '@tanstack/react-query';
import { ApiError, mayBeDone } from '../api/api-error';
import type { LoginStore } from '../api/login-store';

const FRESH_MS = 5_000;
const MAX_RETRIES = 2;

/** What was refused is refused again; what failed, or came when too much was asked at once, may go well the next time. */
function shouldRetry(failures: number, error: Error): boolean {
  const mayPass = mayBeDone(error) || (error instanceof ApiError && error.status === 429);
  return mayPass && failures < MAX_RETRIES;
}

/** What is asked for without a network fails at once: kept for later, a top-up would be made when nobody expects it. */
const networkMode = 'always';

export const createQueryClient = () =>
  new QueryClient({
    defaultOptions: {
      queries: { staleTime: FRESH_MS, retry: shouldRetry, networkMode },
      mutations: { networkMode },
    },
  });

/** The next user of this browser sees nothing of this one. To be called before anything is drawn, so that it hears first. */
export function clearWithUser(client: QueryClient, login: LoginStore): void {
  let { userId } = login.state;
  login.subscribe(() => {
    if (login.state.userId === userId) return;
    userId = login.state.userId;
    client.clear();
  });
}
