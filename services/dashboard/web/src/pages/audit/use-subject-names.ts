import { useQuery } from '@tanstack/react-query';
import { listKeys } from '../../api/keys';
import { listMembers } from '../../api/members';

const MOST = 1_000;

/** By ids of keys and members. */
export interface SubjectNames {
  readonly names: ReadonlyMap<string, string>;
  readonly isLoading: boolean;
}

/** Names of existing keys and members; deleted ones are shown by id. */
export function useSubjectNames(): SubjectNames {
  const keys = useQuery({ queryKey: ['keys', 'names'], queryFn: () => listKeys(undefined, MOST) });
  const members = useQuery({ queryKey: ['members', 'names'], queryFn: () => listMembers(undefined, MOST) });
  const named = [...(keys.data?.data ?? []), ...(members.data?.data ?? [])];
  return {
    names: new Map(named.map(({ id, name }) => [id, name])),
    isLoading: keys.isLoading || members.isLoading,
  };
}
