import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { getAccount } from '../../api/admin-accounts';

/** By its name, where a list has its id only; each account is asked for once. */
export function AccountLink({ id }: { id: string }) {
  const account = useQuery({
    queryKey: ['admin', 'account', id],
    queryFn: () => getAccount(id),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Anchor component={Link} to={`/operator/accounts/${id}`} size="sm">
      {account.data?.name ?? id}
    </Anchor>
  );
}
