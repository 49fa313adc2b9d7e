import { EmptyState } from '../../ui/empty-state';
import { PageHeader } from '../../ui/page-header';

export function RequestPage() {
  return (
    <>
      <PageHeader title="Request" />
      <EmptyState title="This page is not there yet" />
    </>
  );
}
