import { Alert, Anchor, Button, Group, Skeleton, Tabs, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Copy, Info } from 'lucide-react';
import { Link, useSearchParams } from 'react-router';
import { type AdminModel, getAdminModel } from '../../../api/admin-models';
import { CodeBlock } from '../../../ui/code-block';
import { ErrorState } from '../../../ui/error-state';
import { PageHeader } from '../../../ui/page-header';
import { StatusBadge } from '../../../ui/status-badge';
import { EditPrices } from '../prices/edit-prices';
import { EditEntry } from './edit-entry';
import { ModelStatusActions } from './model-status-actions';

const TABS = [
  { value: 'prices', label: 'Prices', Panel: EditPrices },
  { value: 'entry', label: 'Details', Panel: EditEntry },
  { value: 'json', label: 'JSON', Panel: EntryJson },
] as const;

/** Shows and edits a model of the catalog. */
export function ExistingModel({ slug }: { slug: string }) {
  const model = useQuery({ queryKey: ['admin', 'model', slug], queryFn: () => getAdminModel(slug) });
  if (model.error && !model.data) {
    return (
      <>
        <PageHeader title="Model" description={slug} />
        <ErrorState error={model.error} onRetry={() => void model.refetch()} />
      </>
    );
  }
  const { data } = model;
  return (
    <>
      <PageHeader
        title={data?.name ?? slug}
        description={data ? <Description model={data} /> : slug}
        actions={data && <Actions model={data} />}
      />
      {data ? <Parts key={slug} model={data} /> : <Skeleton h={480} />}
    </>
  );
}

function Description({ model: { slug, status, preview } }: { model: AdminModel }) {
  return (
    <Group component="span" gap={6}>
      <Text span size="sm" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
        {slug}
      </Text>
      <StatusBadge status={status} />
      {preview && <StatusBadge status="preview" />}
    </Group>
  );
}

function Actions({ model }: { model: AdminModel }) {
  return (
    <>
      <ModelStatusActions model={model} />
      <Button
        component={Link}
        to={`/operator/models/new?from=${encodeURIComponent(model.slug)}`}
        variant="default"
        leftSection={<Copy size={16} aria-hidden />}
      >
        Duplicate
      </Button>
    </>
  );
}

function Parts({ model }: { model: AdminModel }) {
  const [search, setSearch] = useSearchParams();
  const tab = TABS.find(({ value }) => value === search.get('tab'))?.value ?? 'prices';
  return (
    <>
      {model.status === 'delisted' && <Delisted model={model} />}
      <Tabs value={tab} onChange={(next) => setSearch({ tab: next ?? 'prices' }, { replace: true })}>
        <Tabs.List mb="md">
          {TABS.map(({ value, label }) => (
            <Tabs.Tab key={value} value={value}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {TABS.map(({ value, Panel }) => (
          <Tabs.Panel key={value} value={value}>
            <Panel model={model} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </>
  );
}

function Delisted({ model: { successor } }: { model: AdminModel }) {
  return (
    <Alert variant="default" icon={<Info size={18} aria-hidden />} mb="md" title="Delisted">
      <Text size="sm">
        Requests are rejected.{' '}
        {successor ? (
          <>
            The API recommends{' '}
            <Anchor component={Link} to={`/operator/models/${successor}`} underline="always" inherit>
              {successor}
            </Anchor>{' '}
            instead.
          </>
        ) : (
          'No successor is set.'
        )}
      </Text>
    </Alert>
  );
}

function EntryJson({ model }: { model: AdminModel }) {
  return <CodeBlock code={JSON.stringify(model, null, 2)} label="JSON" />;
}
