import { MultiSelect } from '@mantine/core';
import { useState } from 'react';
import { isModelPattern } from '../../api/allows-model';
import type { ModelType } from '../../api/models';
import { groupByProvider } from './group-by-provider';
import { useCatalog } from './use-catalog';

interface ModelsInputProps {
  value: readonly string[];
  onChange: (value: string[]) => void;
  disabled?: boolean;
  error?: string | undefined;
}

const TYPES: readonly ModelType[] = [
  'chat',
  'image',
  'video',
  'embedding',
  'moderation',
  'rerank',
  'speech',
  'transcription',
];
const PATTERN = /^[a-z0-9._:/-]*\*[a-z0-9._:/-]*$/;

/** Models of the catalog, their types and providers, a pattern that is being typed, and what the key already has. */
export function ModelsInput({ value, onChange, disabled = false, error }: ModelsInputProps) {
  const catalog = useCatalog();
  const [search, setSearch] = useState('');
  const listed = catalog.data?.map(({ slug }) => slug) ?? [];
  const slugs = new Set([...listed, ...value.filter((entry) => !isModelPattern(entry))]);
  const patterns = new Set([
    ...(PATTERN.test(search) ? [search] : []),
    ...value.filter(isModelPattern),
    ...TYPES.map((type) => `type:${type}`),
    ...listed.map((slug) => `${slug.split('/')[0]}/*`),
  ]);
  return (
    <MultiSelect
      label="Allowed models"
      description="Requests with this key can’t use other models. A type, or a pattern such as openai/*, allows all models that it matches, also later ones"
      placeholder={value.length === 0 ? 'All models' : undefined}
      data={[{ group: 'Types and patterns', items: [...patterns] }, ...groupByProvider([...slugs])]}
      searchValue={search}
      onSearchChange={setSearch}
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
