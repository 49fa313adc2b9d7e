import { EmptyState } from '../../ui/empty-state';
import { PageHeader } from '../../ui/page-header';

export function OperatorAccountPage() {
  return (
    <>
      <PageHeader title="Account" />
      <EmptyState title="This page is not there yet" />
    </>
  );
}
