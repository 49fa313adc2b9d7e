import { EmptyState } from '../../ui/empty-state';
import { PageHeader } from '../../ui/page-header';

export function ProvidersPage() {
  return (
    <>
      <PageHeader title="Provider health" />
      <EmptyState title="This page is not there yet" />
    </>
  );
}
