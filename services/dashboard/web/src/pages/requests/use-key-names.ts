import { useQuery } from '@tanstack/react-query';
import { allKeysQuery, deletedKeyName } from '../../api/all-keys-query';

/** Names of the account's keys by id; a deleted key is shown by its id. */
export function useKeyNames() {
  const { data, isPending } = useQuery(allKeysQuery);
  const names = new Map(data?.data.map(({ id, name }) => [id, name]));
  return {
    keys: data?.data ?? [],
    isPending,
    nameOf: (id: string) => names.get(id) ?? (isPending ? '…' : deletedKeyName(id)),
    isThere: (id: string) => names.has(id),
  };
}
