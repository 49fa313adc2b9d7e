import { queryOptions, useQuery } from '@tanstack/react-query';
import { getMe, type Me, type Role } from './auth';

const MINUTE_MS = 60_000;
const ROLES: readonly Role[] = ['viewer', 'member', 'owner'];

export const meQuery = queryOptions({ queryKey: ['me'], queryFn: getMe, staleTime: MINUTE_MS });

/** The logged-in user. The shell renders pages only once it has loaded. */
export function useMe(): Me {
  const { data } = useQuery(meQuery);
  if (!data) throw new Error('rendered outside the shell');
  return data;
}

/** Whether the user's role suffices: `useMay('member')` for keys and the playground, 'owner' for limits and members. */
export function useMay(least: Role): boolean {
  return ROLES.indexOf(useMe().role) >= ROLES.indexOf(least);
}
