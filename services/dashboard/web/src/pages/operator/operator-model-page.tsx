import { EmptyState } from '../../ui/empty-state';
import { PageHeader } from '../../ui/page-header';

export function OperatorModelPage() {
  return (
    <>
      <PageHeader title="Model" />
      <EmptyState title="This page is not there yet" />
    </>
  );
}
