import { Center, Container, Loader } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { Navigate, useLocation, useNavigate } from 'react-router';
import { loginToken, useLogin } from '../api/login-token';
import { meQuery } from '../api/use-me';
import { ErrorState } from '../ui/error-state';
import { LoginAgain } from './login-again';
import { useLoginRenewal } from './use-login-renewal';

/**
 * Renders its children for logged-in users; redirects others to the login and back afterwards. When a login ends, the
 * children stay until the user logs in again.
 */
export function LoginGate({ children }: { children: ReactNode }) {
  const { status, userId, left } = useLogin();
  const [drawnFor, setDrawnFor] = useState(userId);
  const { pathname, search } = useLocation();
  if (status === 'out') {
    // After a logout, the next user may be another one and has no destination yet.
    const isNowhere = left || (pathname === '/' && search === '');
    return (
      <Navigate to={isNowhere ? '/login' : `/login?next=${encodeURIComponent(pathname + search)}`} replace />
    );
  }
  if (userId !== drawnFor) return <ToStart of={userId} onThere={setDrawnFor} />;
  return (
    <LoggedIn key={userId} hasEnded={status === 'ended'}>
      {children}
    </LoggedIn>
  );
}

/** Another user has logged in in another tab: leave the previous user's page. */
function ToStart({ of, onThere }: { of: string | undefined; onThere: (userId: string | undefined) => void }) {
  const navigate = useNavigate();
  useEffect(() => {
    navigate('/', { replace: true });
    onThere(of);
  }, [navigate, onThere, of]);
  return null;
}

function LoggedIn({ hasEnded, children }: { hasEnded: boolean; children: ReactNode }) {
  const me = useQuery(meQuery);
  useLoginRenewal();
  useClosedDoor();
  const isBare = hasEnded && !me.data;
  useEffect(() => {
    if (isBare) loginToken.giveUp();
    return () => loginToken.giveUp();
  }, [isBare]);
  if (me.data) {
    return (
      <>
        {children}
        {hasEnded && <LoginAgain user={me.data.user} />}
      </>
    );
  }
  if (me.error && !hasEnded) {
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

/** Dialogs listen for Escape globally: the key must not close a dialog below the login dialog. */
function useClosedDoor(): void {
  useEffect(() => {
    const keepOpen = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && loginToken.state.status === 'ended') event.stopImmediatePropagation();
    };
    // Registered before the listeners of the pages inside.
    window.addEventListener('keydown', keepOpen, { capture: true });
    return () => window.removeEventListener('keydown', keepOpen, { capture: true });
  }, []);
}
