import { EmptyState } from '../../ui/empty-state';
import { PageHeader } from '../../ui/page-header';

export function ModelsPage() {
  return (
    <>
      <PageHeader title="Models" />
      <EmptyState title="This page is not there yet" />
    </>
  );
}
