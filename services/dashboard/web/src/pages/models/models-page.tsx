import { Button, Group, SegmentedControl, Select, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Search } from 'lucide-react';
import { useSearchParams } from 'react-router';
import { allModelsQuery } from '../../api/all-models-query';
import { DataTable } from '../../ui/data-table';
import { EmptyState } from '../../ui/empty-state';
import { PageHeader } from '../../ui/page-header';
import { wholeList } from '../../ui/whole-list';
import { MODEL_COLUMNS } from './model-columns';
import { type ModelFilter, matches } from './model-filter';
import { KIND_NAMES, providerOf } from './model-kinds';

const KINDS = [
  { value: '', label: 'All' },
  ...Object.entries(KIND_NAMES).map(([value, label]) => ({ value, label })),
];

/** Models and their prices. */
export function ModelsPage() {
  const models = useQuery(allModelsQuery);
  const { filter, setFilter, clear } = useFilter();
  const all = models.data?.data ?? [];
  const found = all.filter((model) => matches(model, filter));
  return (
    <>
      <PageHeader
        title="Models"
        description="Models your keys can use. Token prices are in USD per million tokens."
      />
      <Filters
        filter={filter}
        onChange={setFilter}
        providers={[...new Set(all.map(providerOf))].toSorted()}
      />
      <Text size="sm" c="dimmed" mb="xs" role="status" mih={22}>
        {models.data && (found.length === 1 ? '1 model' : `${found.length} models`)}
      </Text>
      <DataTable
        label="Models"
        columns={MODEL_COLUMNS}
        list={wholeList(found, models)}
        rowKey={({ slug }) => slug}
        empty={
          all.length === 0 ? (
            <EmptyState title="No models yet">
              The operator of this gateway hasn’t added any models.
            </EmptyState>
          ) : (
            <EmptyState
              title="No models match these filters"
              icon={Search}
              action={
                <Button variant="default" size="xs" onClick={clear}>
                  Clear filters
                </Button>
              }
            />
          )
        }
      />
    </>
  );
}

interface FiltersProps {
  filter: ModelFilter;
  onChange: (change: Partial<ModelFilter>) => void;
  providers: readonly string[];
}

function Filters({ filter, onChange, providers }: FiltersProps) {
  return (
    <Group mb="sm" gap="sm" align="flex-end">
      <TextInput
        type="search"
        label="Search"
        placeholder="Name, slug or alias"
        leftSection={<Search size={16} aria-hidden />}
        value={filter.search}
        onChange={({ currentTarget }) => onChange({ search: currentTarget.value })}
        w={{ base: '100%', xs: 260 }}
      />
      <Select
        label="Provider"
        placeholder="All providers"
        data={providers}
        value={filter.provider || null}
        onChange={(provider) => onChange({ provider: provider ?? '' })}
        clearable
        searchable
        w={{ base: '100%', xs: 180 }}
      />
      <SegmentedControl
        aria-label="Kind"
        data={KINDS}
        value={filter.kind}
        onChange={(kind) => onChange({ kind: kind as ModelFilter['kind'] })}
        w={{ base: '100%', xs: 'auto' }}
      />
    </Group>
  );
}

/** The filter is in the address, so that it can be shared and survives going back. */
function useFilter() {
  const [params, setParams] = useSearchParams();
  const kind = params.get('kind') ?? '';
  const filter: ModelFilter = {
    search: params.get('search') ?? '',
    kind: kind in KIND_NAMES ? (kind as ModelFilter['kind']) : '',
    provider: params.get('provider') ?? '',
  };
  const setFilter = (change: Partial<ModelFilter>) => {
    const given = Object.entries({ ...filter, ...change }).filter(([, value]) => value !== '');
    setParams(new URLSearchParams(given), { replace: true });
  };
  return { filter, setFilter, clear: () => setParams({}, { replace: true }) };
}
