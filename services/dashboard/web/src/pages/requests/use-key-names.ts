import { useQuery } from '@tanstack/react-query';
import { listKeys } from '../../api/keys';

const MAX_KEYS = 1_000;

/** Names of the account's keys by their ids; a deleted key has only its id. */
export function useKeyNames() {
  const { data, isPending } = useQuery({
    queryKey: ['keys', 'names'],
    queryFn: () => listKeys(undefined, MAX_KEYS),
  });
  const names = new Map(data?.data.map(({ id, name }) => [id, name]));
  return {
    keys: data?.data ?? [],
    isPending,
    nameOf: (id: string) => names.get(id) ?? (isPending ? '…' : `Deleted key ${id.slice(-6)}`),
    isThere: (id: string) => names.has(id),
  };
}
