import { EmptyState } from '../../ui/empty-state';
import { PageHeader } from '../../ui/page-header';

export function PlaygroundPage() {
  return (
    <>
      <PageHeader title="Playground" />
      <EmptyState title="This page is not there yet" />
    </>
  );
}
