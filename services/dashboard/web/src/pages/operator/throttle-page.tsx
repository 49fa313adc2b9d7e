import { EmptyState } from '../../ui/empty-state';
import { PageHeader } from '../../ui/page-header';

export function ThrottlePage() {
  return (
    <>
      <PageHeader title="Throttle" />
      <EmptyState title="This page is not there yet" />
    </>
  );
}
