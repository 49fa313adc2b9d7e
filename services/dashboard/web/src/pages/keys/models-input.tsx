import { MultiSelect } from '@mantine/core';
import { groupByProvider } from './group-by-provider';
import { useCatalog } from './use-catalog';

interface ModelsInputProps {
  value: readonly string[];
  onChange: (value: string[]) => void;
  disabled?: boolean;
  error?: string | undefined;
}

/** Models of the catalog, and those that the key already has. */
export function ModelsInput({ value, onChange, disabled = false, error }: ModelsInputProps) {
  const catalog = useCatalog();
  const slugs = new Set([...(catalog.data?.map(({ slug }) => slug) ?? []), ...value]);
  return (
    <MultiSelect
      label="Allowed models"
      description="Requests with this key can’t use other models"
      placeholder={value.length === 0 ? 'All models' : undefined}
      data={groupByProvider([...slugs])}
      value={[...value]}
      onChange={onChange}
      disabled={disabled}
      searchable
      clearable
      hidePickedOptions
      maxDropdownHeight={260}
      nothingFoundMessage={catalog.isPending ? 'Loading models' : 'No models found'}
      error={error ?? (catalog.error ? 'Could not load models.' : undefined)}
    />
  );
}
