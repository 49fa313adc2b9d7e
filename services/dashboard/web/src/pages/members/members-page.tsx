import { EmptyState } from '../../ui/empty-state';
import { PageHeader } from '../../ui/page-header';

export function MembersPage() {
  return (
    <>
      <PageHeader title="Members" />
      <EmptyState title="This page is not there yet" />
    </>
  );
}
