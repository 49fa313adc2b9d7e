import { EmptyState } from '../../ui/empty-state';
import { PageHeader } from '../../ui/page-header';

export function RequestsPage() {
  return (
    <>
      <PageHeader title="Requests" />
      <EmptyState title="This page is not there yet" />
    </>
  );
}
