import { useQuery } from '@tanstack/react-query';
import { listRequests } from '../../api/requests';

/**
 * A request is recorded within three seconds of its end; a stopped request may take longer, until its provider has
 * ended.
 */
const MAX_POLLS = 20;
const POLL_INTERVAL_MS = 800;
const LATEST = 30;

/**
 * Returns the record of a completed request. Searches the latest requests, because a missing record is not an error
 * yet; a video task may be in progress there a little longer.
 */
export function useCallRecord(requestId: string | undefined, keyId: string, maxPolls = MAX_POLLS) {
  return useQuery({
    queryKey: ['requests', 'just-ended', requestId],
    queryFn: async () => {
      const { data } = await listRequests({ key_id: keyId }, undefined, LATEST);
      return data.find(({ id, in_progress }) => id === requestId && !in_progress) ?? null;
    },
    refetchInterval: ({ state }) =>
      state.data || state.dataUpdateCount >= maxPolls ? false : POLL_INTERVAL_MS,
    enabled: requestId !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
}
