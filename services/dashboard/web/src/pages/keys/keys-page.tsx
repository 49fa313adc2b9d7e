import { EmptyState } from '../../ui/empty-state';
import { PageHeader } from '../../ui/page-header';

export function KeysPage() {
  return (
    <>
      <PageHeader title="Keys" />
      <EmptyState title="This page is not there yet" />
    </>
  );
}
