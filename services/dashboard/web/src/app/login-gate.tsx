import { Center, Container, Loader } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { Navigate, useLocation } from 'react-router';
import { useIsLoggedIn } from '../api/login-token';
import { meQuery } from '../api/use-me';
import { ErrorState } from '../ui/error-state';
import { useLoginRenewal } from './use-login-renewal';

/** Draws what is inside for who is logged in; others are sent to the login, and back when they are. */
export function LoginGate({ children }: { children: ReactNode }) {
  const isLoggedIn = useIsLoggedIn();
  const { pathname, search } = useLocation();
  if (isLoggedIn) return <LoggedIn>{children}</LoggedIn>;
  const next = pathname === '/' && search === '' ? '' : `?next=${encodeURIComponent(pathname + search)}`;
  return <Navigate to={`/login${next}`} replace />;
}

function LoggedIn({ children }: { children: ReactNode }) {
  const queryClient = useQueryClient();
  const me = useQuery(meQuery);
  useLoginRenewal();
  // The next user of this browser sees nothing of this one.
  useEffect(() => () => queryClient.clear(), [queryClient]);
  if (me.data) return children;
  if (me.error) {
    return (
      <Container size="sm" py="xl">
        <ErrorState error={me.error} onRetry={() => void me.refetch()} />
      </Container>
    );
  }
  return (
    <Center h="100vh">
      <Loader aria-label="Loading" />
    </Center>
  );
}
