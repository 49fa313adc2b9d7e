import { EmptyState } from '../../ui/empty-state';
import { PageHeader } from '../../ui/page-header';

export function KeyPage() {
  return (
    <>
      <PageHeader title="Key" />
      <EmptyState title="This page is not there yet" />
    </>
  );
}
