import { Box, Center, Group, Paper } from '@mantine/core';
import { Suspense } from 'react';
import { Navigate, Outlet, useSearchParams } from 'react-router';
import { useLogin } from '../api/login-token';
import { ColorSchemeToggle } from './color-scheme-toggle';
import { ErrorBoundary } from './error-boundary';
import { Logo } from './logo';
import { sameOriginPath } from './same-origin-path';

/** Layout of login and sign-up. Redirects users who are logged in to their destination. */
export function EntryLayout() {
  const [search] = useSearchParams();
  if (useLogin().status === 'in') return <Navigate to={sameOriginPath(search.get('next'))} replace />;
  return (
    <Box component="main" mih="100vh" p="md">
      <Group justify="flex-end">
        <ColorSchemeToggle />
      </Group>
      <Center mt={{ base: 'md', sm: '8vh' }}>
        <Box w="100%" maw={400}>
          <Center mb="lg">
            <Logo />
          </Center>
          <Paper withBorder p={{ base: 'md', sm: 'xl' }}>
            <ErrorBoundary>
              <Suspense fallback={<Box h={320} />}>
                <Outlet />
              </Suspense>
            </ErrorBoundary>
          </Paper>
        </Box>
      </Center>
    </Box>
  );
}
