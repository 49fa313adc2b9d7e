import { Anchor, Box, Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Boxes, Plus, Search, SearchX } from 'lucide-react';
import { Link, useSearchParams } from 'react-router';
import type { AdminModel } from '../../../api/admin-models';
import { type Column, DataTable } from '../../../ui/data-table';
import { EmptyState } from '../../../ui/empty-state';
import { PageHeader } from '../../../ui/page-header';
import { StatusBadge } from '../../../ui/status-badge';
import { wholeList } from '../../../ui/whole-list';
import { priceSummary } from '../prices/price-summary';
import { adminModelsQuery } from './admin-models-query';

const STATUSES = [
  { value: 'active', label: 'Active' },
  { value: 'disabled', label: 'Disabled' },
  { value: 'delisted', label: 'Delisted' },
];
const KINDS = [
  { value: 'text', label: 'Chat' },
  { value: 'image', label: 'Images' },
  { value: 'video', label: 'Video' },
];

const COLUMNS: readonly Column<AdminModel>[] = [
  {
    title: 'Model',
    cell: ({ slug, name }) => (
      <Box miw={0}>
        <Anchor component={Link} to={`/operator/models/${slug}`} size="sm" fw={500}>
          {name}
        </Anchor>
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {slug}
        </Text>
      </Box>
    ),
  },
  {
    title: 'Status',
    cell: ({ status, preview }) => (
      <Group gap={4}>
        <StatusBadge status={status} />
        {preview && <StatusBadge status="preview" />}
      </Group>
    ),
  },
  {
    title: 'Providers',
    cell: ({ targets }) => [...new Set(targets.map(({ provider }) => provider))].join(', ') || 'None',
  },
  { title: 'Price', cell: ({ pricing }) => <Prices lines={priceSummary(pricing)} /> },
  {
    title: 'Price date',
    cell: ({ pricing }) => (
      <Text span size="sm" style={{ whiteSpace: 'nowrap' }}>
        {pricing?.source_date ?? 'Never'}
      </Text>
    ),
  },
];

/** The whole catalog, with what is disabled or delisted. */
export function OperatorModelsPage() {
  return (
    <>
      <PageHeader
        title="Models and prices"
        description="Models on offer, their targets and prices"
        actions={
          <Button component={Link} to="/operator/models/new" leftSection={<Plus size={16} aria-hidden />}>
            New model
          </Button>
        }
      />
      <ModelsList />
    </>
  );
}

function ModelsList() {
  const [search, setSearch] = useSearchParams();
  const models = useQuery(adminModelsQuery);
  const filter = (name: string, value: string | null) =>
    setSearch(
      (before) => {
        const next = new URLSearchParams(before);
        if (value) next.set(name, value);
        else next.delete(name);
        return next;
      },
      { replace: true },
    );
  const query = search.get('query') ?? '';
  const status = search.get('status');
  const kind = search.get('kind');
  const rows = (models.data ?? []).filter(
    (model) =>
      matches(model, query) &&
      (!status || model.status === status) &&
      (!kind || model.output_modalities.includes(kind)),
  );
  return (
    <Stack>
      <Group gap="sm">
        <TextInput
          aria-label="Search models"
          placeholder="Name, slug, alias or provider"
          type="search"
          value={query}
          onChange={(event) => filter('query', event.currentTarget.value)}
          leftSection={<Search size={16} aria-hidden />}
          flex="1 1 240px"
          maw={360}
        />
        <Select
          aria-label="Status"
          placeholder="Any status"
          data={STATUSES}
          value={status}
          onChange={(value) => filter('status', value)}
          clearable
          w={150}
        />
        <Select
          aria-label="Kind"
          placeholder="Any type"
          data={KINDS}
          value={kind}
          onChange={(value) => filter('kind', value)}
          clearable
          w={150}
        />
      </Group>
      <DataTable
        label="Models"
        columns={COLUMNS}
        list={wholeList(rows, models)}
        rowKey={({ slug }) => slug}
        empty={
          models.data?.length === 0 ? (
            <EmptyState title="The catalog is empty" icon={Boxes}>
              Add a model to accept requests.
            </EmptyState>
          ) : (
            <EmptyState
              title="No model matches"
              icon={SearchX}
              action={
                <Button variant="default" onClick={() => setSearch({}, { replace: true })}>
                  Show all models
                </Button>
              }
            />
          )
        }
      />
    </Stack>
  );
}

function Prices({ lines }: { lines: readonly string[] }) {
  if (lines.length === 0) return <>None</>;
  return (
    <div>
      {lines.map((line) => (
        <Text key={line} size="xs">
          {line}
        </Text>
      ))}
    </div>
  );
}

function matches({ slug, name, aliases, targets }: AdminModel, query: string): boolean {
  const wanted = query.trim().toLowerCase();
  const texts = [slug, name, ...aliases, ...targets.map(({ provider }) => provider)];
  return texts.some((text) => text.toLowerCase().includes(wanted));
}
