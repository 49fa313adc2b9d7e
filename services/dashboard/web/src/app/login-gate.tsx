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
 * Draws what is inside for who is logged in; others are sent to the login, and back when they are. When a login ends,
 * what is inside stays as it is until its user is back.
 */
export function LoginGate({ children }: { children: ReactNode }) {
  const { status, userId, left } = useLogin();
  const [drawnFor, setDrawnFor] = useState(userId);
  const { pathname, search } = useLocation();
  if (status === 'out') {
    // The next one who logs in here may be someone else, and wants to go nowhere yet.
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

/** In another tab someone else has logged in: where this one was is none of their business. */
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

/** Dialogs listen to Escape wherever it is pressed: none below that of the login may be closed with it. */
function useClosedDoor(): void {
  useEffect(() => {
    const keepOpen = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && loginToken.state.status === 'ended') event.stopImmediatePropagation();
    };
    // Before those of the pages inside, which are drawn later.
    window.addEventListener('keydown', keepOpen, { capture: true });
    return () => window.removeEventListener('keydown', keepOpen, { capture: true });
  }, []);
}
