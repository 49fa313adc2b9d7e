import { useQuery } from '@tanstack/react-query';
import { listKeys } from '../../api/keys';
import { listMembers } from '../../api/members';

const MOST = 1_000;

/** Names of the keys and members that there are, by their ids. Of what is gone only the id is left. */
export function useSubjectNames(): ReadonlyMap<string, string> {
  const keys = useQuery({ queryKey: ['keys', 'names'], queryFn: () => listKeys(undefined, MOST) });
  const members = useQuery({ queryKey: ['members', 'names'], queryFn: () => listMembers(undefined, MOST) });
  const named = [...(keys.data?.data ?? []), ...(members.data?.data ?? [])];
  return new Map(named.map(({ id, name }) => [id, name]));
}
