import { Button } from '@mantine/core';
import { SearchX } from 'lucide-react';
import { Link } from 'react-router';
import { EmptyState } from '../ui/empty-state';
import { PageHeader } from '../ui/page-header';

export function NotFoundPage() {
  const back = (
    <Button component={Link} to="/" variant="default" mt="xs">
      Go to overview
    </Button>
  );
  return (
    <>
      <PageHeader title="Page not found" />
      <EmptyState title="There is nothing at this address" icon={SearchX} action={back}>
        The link may be outdated, or your role has no access to this page.
      </EmptyState>
    </>
  );
}
