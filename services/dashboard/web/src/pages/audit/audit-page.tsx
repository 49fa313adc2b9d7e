import { EmptyState } from '../../ui/empty-state';
import { PageHeader } from '../../ui/page-header';

export function AuditPage() {
  return (
    <>
      <PageHeader title="Audit log" />
      <EmptyState title="This page is not there yet" />
    </>
  );
}
