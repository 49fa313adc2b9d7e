import { Center, Container, Loader } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { Navigate, useLocation, useNavigate } from 'react-router';
import { loginToken, useLogin } from '../api/login-token';
import { meQuery } from '../api/use-me';
import { FirstPasswordPage } from '../pages/account/first-password-page';
import { ErrorState } from '../ui/error-state';
import { SessionExpiredDialog } from './session-expired-dialog';
import { useLoginRenewal } from './use-login-renewal';

/**
 * Renders its children for logged-in users; redirects others to the login and back afterwards. When a login ends, the
 * children stay until the user logs in again.
 */
export function LoginGate({ children }: { children: ReactNode }) {
  const { status, userId, loggedOut } = useLogin();
  const [renderedFor, setRenderedFor] = useState(userId);
  const { pathname, search } = useLocation();
  if (status === 'out') {
    // After a logout, the next user may be another one and has no destination yet.
    const hasNoDestination = loggedOut || (pathname === '/' && search === '');
    return (
      <Navigate
        to={hasNoDestination ? '/login' : `/login?next=${encodeURIComponent(pathname + search)}`}
        replace
      />
    );
  }
  if (userId !== renderedFor) return <RedirectToOverview of={userId} onRedirected={setRenderedFor} />;
  return (
    <LoggedIn key={userId} hasEnded={status === 'ended'}>
      {children}
    </LoggedIn>
  );
}

/** Another user has logged in in another tab: leave the previous user's page. */
function RedirectToOverview({
  of,
  onRedirected,
}: {
  of: string | undefined;
  onRedirected: (userId: string | undefined) => void;
}) {
  const navigate = useNavigate();
  useEffect(() => {
    navigate('/', { replace: true });
    onRedirected(of);
  }, [navigate, onRedirected, of]);
  return null;
}

function LoggedIn({ hasEnded, children }: { hasEnded: boolean; children: ReactNode }) {
  const me = useQuery(meQuery);
  useLoginRenewal();
  useEscapeBlocked();
  const isBare = hasEnded && !me.data;
  useEffect(() => {
    if (isBare) loginToken.forget();
    return () => loginToken.forget();
  }, [isBare]);
  if (me.data?.must_change_password) return <FirstPasswordPage email={me.data.user.email} />;
  if (me.data) {
    return (
      <>
        {children}
        {hasEnded && <SessionExpiredDialog user={me.data.user} />}
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
function useEscapeBlocked(): void {
  useEffect(() => {
    const keepOpen = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && loginToken.state.status === 'ended') event.stopImmediatePropagation();
    };
    // Registered before the listeners of the pages inside.
    window.addEventListener('keydown', keepOpen, { capture: true });
    return () => window.removeEventListener('keydown', keepOpen, { capture: true });
  }, []);
}
