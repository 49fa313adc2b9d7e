import { QueryClient } from '@tanstack/react-query';
import { ApiError, mayBeDone } from '../api/api-error';

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
