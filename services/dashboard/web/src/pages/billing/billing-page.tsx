import { EmptyState } from '../../ui/empty-state';
import { PageHeader } from '../../ui/page-header';

export function BillingPage() {
  return (
    <>
      <PageHeader title="Billing" />
      <EmptyState title="This page is not there yet" />
    </>
  );
}
