import { EmptyState } from '../../ui/empty-state';
import { PageHeader } from '../../ui/page-header';

export function OperatorAccountsPage() {
  return (
    <>
      <PageHeader title="Accounts" />
      <EmptyState title="This page is not there yet" />
    </>
  );
}
