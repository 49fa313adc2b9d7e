import { EmptyState } from '../../ui/empty-state';
import { PageHeader } from '../../ui/page-header';

export function UsagePage() {
  return (
    <>
      <PageHeader title="Usage" />
      <EmptyState title="This page is not there yet" />
    </>
  );
}
