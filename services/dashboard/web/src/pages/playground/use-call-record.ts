import { useQuery } from '@tanstack/react-query';
import { listRequests } from '../../api/requests';

/** A call is written down within three seconds of its end; a stopped one may be heard out for longer. */
const LOOKS = 20;
const LOOK_INTERVAL_MS = 800;
const LATEST = 30;

/**
 * The record of a call that has just ended. Looked for among the latest, as one that is not there yet is no failure; a
 * video task may be in progress there for a moment longer.
 */
export function useCallRecord(requestId: string | undefined, keyId: string, looks = LOOKS) {
  return useQuery({
    queryKey: ['requests', 'just-ended', requestId],
    queryFn: async () => {
      const { data } = await listRequests({ key_id: keyId }, undefined, LATEST);
      return data.find(({ id, in_progress }) => id === requestId && !in_progress) ?? null;
    },
    refetchInterval: ({ state }) => (state.data || state.dataUpdateCount >= looks ? false : LOOK_INTERVAL_MS),
    enabled: requestId !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
}
