import { EmptyState } from '../../ui/empty-state';
import { PageHeader } from '../../ui/page-header';

export function OperatorAuditPage() {
  return (
    <>
      <PageHeader title="All changes" />
      <EmptyState title="This page is not there yet" />
    </>
  );
}
