import { Alert, Group, Text, TextInput } from '@mantine/core';
import { Info, Search, TriangleAlert } from 'lucide-react';
import type { EndpointModels } from '../../../api/admin-providers';

export interface Field {
  readonly value: string;
  readonly onChange: (text: string) => void;
}

/** Where the prices are from, or why there are none. */
export function PriceListNotice({
  listing: {
    data,
    price_list: { source, source_date, problem },
  },
}: {
  listing: EndpointModels;
}) {
  const unpriced = data.filter(({ price_problem }) => price_problem !== null).length;
  if (problem) {
    return (
      <Alert
        variant="light"
        color="yellow"
        icon={<TriangleAlert size={18} aria-hidden />}
        title="There is no price list"
      >
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          Type the prices, and the context where the endpoint doesn’t list it; 0 is a price. Reason: {problem}
          .
        </Text>
      </Alert>
    );
  }
  return (
    <Alert variant="default" icon={<Info size={18} aria-hidden />}>
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        Costs are those of {source ?? 'the price list'}
        {source_date && `, as of ${source_date}`}. Prices are the costs and the markup, until you type others.
        {unpriced > 0 && ` ${unpricedText(unpriced, data.length)}`}
      </Text>
    </Alert>
  );
}

function unpricedText(unpriced: number, all: number): string {
  if (unpriced === all)
    return 'No model has a usable price there: check the provider’s ID in the price list.';
  return `${unpriced} of ${all} models ${unpriced === 1 ? 'has' : 'have'} no usable price there; the row says why.`;
}

interface FiltersProps {
  search: Field;
  markup: Field & { readonly isValid: boolean };
  /** The provider's id in the price list. */
  listProvider: Field;
}

export function ImportFilters({ search, markup, listProvider }: FiltersProps) {
  return (
    <Group gap="sm" align="flex-start">
      <TextInput
        type="search"
        label="Search"
        placeholder="Name or slug"
        leftSection={<Search size={16} aria-hidden />}
        value={search.value}
        onChange={(event) => search.onChange(event.currentTarget.value)}
        w={{ base: '100%', xs: 260 }}
      />
      <TextInput
        label="Markup"
        rightSection="%"
        inputMode="decimal"
        autoComplete="off"
        value={markup.value}
        onChange={(event) => markup.onChange(event.currentTarget.value)}
        error={!markup.isValid && 'Such as 12.5'}
        w={100}
      />
      <TextInput
        label="Provider in the price list"
        placeholder="By preset, ID or kind"
        maxLength={64}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        value={listProvider.value}
        onChange={(event) => listProvider.onChange(event.currentTarget.value)}
        w={{ base: 'calc(100% - 112px)', xs: 220 }}
      />
    </Group>
  );
}
