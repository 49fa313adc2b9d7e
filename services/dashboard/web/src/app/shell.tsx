import { Alert, AppShell, Burger, Group, NavLink, ScrollArea, Text, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { BookOpen } from 'lucide-react';
import { Suspense, useEffect, useRef } from 'react';
import { Link, Outlet, useLocation } from 'react-router';
import { useMe } from '../api/use-me';
import { ColorSchemeToggle } from './color-scheme-toggle';
import { ErrorBoundary } from './error-boundary';
import { Logo } from './logo';
import { type NavigationItem, navigationOf } from './navigation';
import { PageSkeleton } from './page-skeleton';
import classes from './shell.module.css';
import { UserMenu } from './user-menu';

/** Header, navigation (in a burger menu on phones) and page. */
export function Shell() {
  const [opened, { toggle, close }] = useDisclosure();
  const { pathname } = useLocation();
  const main = usePageFocus(pathname);
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 232, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      padding={{ base: 'md', sm: 'lg' }}
    >
      <a href="#content" className={classes.skip}>
        Skip to content
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="xs" wrap="nowrap">
            <Burger
              opened={opened}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label="Navigation"
              aria-expanded={opened}
            />
            <UnstyledButton component={Link} to="/" aria-label="Model Gateway, overview">
              <Logo />
            </UnstyledButton>
          </Group>
          <Group gap={4} wrap="nowrap">
            <ColorSchemeToggle />
            <UserMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar aria-label="Main">
        <ScrollArea type="auto" p="xs" scrollbarSize={6}>
          <Navigation pathname={pathname} onChosen={close} />
          <ReferenceLink />
        </ScrollArea>
      </AppShell.Navbar>
      <AppShell.Main id="content" ref={main} tabIndex={-1} className={classes.main}>
        <div className={classes.page}>
          <SuspendedNotice />
          <ErrorBoundary key={pathname}>
            <Suspense fallback={<PageSkeleton />}>
              <Outlet />
            </Suspense>
          </ErrorBoundary>
        </div>
      </AppShell.Main>
    </AppShell>
  );
}

function SuspendedNotice() {
  if (useMe().account.status !== 'suspended') return null;
  return (
    <Alert color="red" variant="light" title="This account is suspended" mb="md">
      Its keys are rejected. Contact the operator of this gateway.
    </Alert>
  );
}

function Navigation({ pathname, onChosen }: { pathname: string; onChosen: () => void }) {
  const me = useMe();
  return navigationOf(me).map(({ label, items }) => (
    <div key={label} className={classes.group}>
      <Text size="xs" fw={600} c="dimmed" px="sm" py={4}>
        {label}
      </Text>
      {items.map((item) => (
        <NavLink
          key={item.path}
          component={Link}
          to={item.path}
          label={item.label}
          leftSection={<item.icon size={18} strokeWidth={1.8} aria-hidden />}
          active={isWithin(item, pathname)}
          aria-current={isWithin(item, pathname) ? 'page' : undefined}
          onClick={onChosen}
          className={classes.link}
        />
      ))}
    </div>
  ));
}

/** The API document is a page of the dashboard service, generated from the OpenAPI document. */
function ReferenceLink() {
  return (
    <div className={classes.group}>
      <NavLink
        component="a"
        href="/docs"
        label="API reference"
        leftSection={<BookOpen size={18} strokeWidth={1.8} aria-hidden />}
        className={classes.link}
      />
    </div>
  );
}

function isWithin({ path }: NavigationItem, pathname: string): boolean {
  return path === '/' ? pathname === '/' : pathname === path || pathname.startsWith(`${path}/`);
}

/**
 * A new page starts at its top, also for keyboards and screen readers; on the first page the browser sets the focus.
 */
function usePageFocus(pathname: string) {
  const main = useRef<HTMLElement>(null);
  const shown = useRef(pathname);
  useEffect(() => {
    if (shown.current === pathname) return;
    shown.current = pathname;
    window.scrollTo(0, 0);
    main.current?.focus({ preventScroll: true });
  }, [pathname]);
  return main;
}
