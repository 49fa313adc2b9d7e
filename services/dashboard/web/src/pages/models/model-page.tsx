import { EmptyState } from '../../ui/empty-state';
import { PageHeader } from '../../ui/page-header';

export function ModelPage() {
  return (
    <>
      <PageHeader title="Model" />
      <EmptyState title="This page is not there yet" />
    </>
  );
}
