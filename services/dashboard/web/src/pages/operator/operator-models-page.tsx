import { EmptyState } from '../../ui/empty-state';
import { PageHeader } from '../../ui/page-header';

export function OperatorModelsPage() {
  return (
    <>
      <PageHeader title="Models and prices" />
      <EmptyState title="This page is not there yet" />
    </>
  );
}
