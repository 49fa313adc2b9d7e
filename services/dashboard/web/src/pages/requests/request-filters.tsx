import { Button, Group, Select, SimpleGrid, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { allModelsQuery } from '../../api/all-models-query';
import type { ApiKey } from '../../api/keys';
import { LOGGED_CODES } from '../../ui/error-advice';
import { type LogFilter, RANGES } from './request-filter';

/** Neither success nor failure: the cost is charged, but the client did not wait for the end. */
const CLIENT_DISCONNECTED = '499';
/** Video tasks. */
const IN_PROGRESS = 'in_progress';

const RANGE_OPTIONS = Object.entries(RANGES).map(([value, { label }]) => ({ value, label }));
const STATUS_OPTIONS = [
  { value: '', label: 'All' },
  { value: 'ok', label: 'Succeeded' },
  { value: 'failed', label: 'Failed' },
  { value: IN_PROGRESS, label: 'In progress' },
  { value: CLIENT_DISCONNECTED, label: 'Client disconnected' },
];

const WITHOUT_CODE: readonly (string | null)[] = ['ok', IN_PROGRESS, CLIENT_DISCONNECTED];
const mayHaveCode = (status: string | null): boolean => !WITHOUT_CODE.includes(status);

interface RequestFiltersProps {
  filter: LogFilter;
  keys: readonly ApiKey[];
  onChange: (change: Partial<LogFilter>) => void;
  onClear: () => void;
}

export function RequestFilters({ filter, keys, onChange, onClear }: RequestFiltersProps) {
  const models = useQuery(allModelsQuery);
  const keyOptions = keys.map(({ id, name, hint }) => ({ value: id, label: `${name} (…${hint})` }));
  const slugs = (models.data?.data ?? []).map(({ slug }) => slug);
  return (
    <>
      <SimpleGrid cols={{ base: 2, md: 5 }} spacing="sm" mb="sm">
        <Select
          label="Time"
          data={RANGE_OPTIONS}
          value={filter.range}
          allowDeselect={false}
          onChange={(range) => onChange({ range: range ?? '' })}
        />
        <Select
          label="Status"
          data={STATUS_OPTIONS}
          value={STATUS_OPTIONS.some(({ value }) => value === filter.status) ? filter.status : null}
          placeholder={filter.status}
          allowDeselect={false}
          onChange={(status) =>
            onChange({ status: status ?? '', ...(!mayHaveCode(status) && { error_code: '' }) })
          }
        />
        <Select
          label="Key"
          placeholder="All keys"
          data={withChosen(keyOptions, filter.key_id)}
          value={filter.key_id || null}
          onChange={(key_id) => onChange({ key_id: key_id ?? '' })}
          searchable
          clearable
        />
        <Select
          label="Model"
          placeholder="All models"
          data={withChosen(
            slugs.map((slug) => ({ value: slug, label: slug })),
            filter.model,
          )}
          value={filter.model || null}
          onChange={(model) => onChange({ model: model ?? '' })}
          searchable
          clearable
          limit={100}
        />
        <Select
          label="Error"
          placeholder="Any error"
          data={withChosen(
            LOGGED_CODES.map((code) => ({ value: code, label: code })),
            filter.error_code,
          )}
          value={filter.error_code || null}
          onChange={(error_code) =>
            onChange({
              error_code: error_code ?? '',
              ...(error_code && !mayHaveCode(filter.status) && { status: '' }),
            })
          }
          searchable
          clearable
        />
      </SimpleGrid>
      {filter.range === 'custom' && <Between filter={filter} onChange={onChange} />}
      {Object.values(filter).some((value) => value !== '') && (
        <Group mb="sm">
          <Button variant="subtle" size="compact-sm" onClick={onClear}>
            Clear filters
          </Button>
        </Group>
      )}
    </>
  );
}

function Between({ filter, onChange }: Pick<RequestFiltersProps, 'filter' | 'onChange'>) {
  return (
    <Group mb="sm" gap="sm">
      <TextInput
        type="datetime-local"
        label="From"
        value={filter.from}
        max={filter.to || undefined}
        onChange={({ currentTarget }) => onChange({ from: currentTarget.value })}
      />
      <TextInput
        type="datetime-local"
        label="To (exclusive)"
        value={filter.to}
        min={filter.from || undefined}
        onChange={({ currentTarget }) => onChange({ to: currentTarget.value })}
      />
    </Group>
  );
}

/** A value from the address is shown even if it is no longer listed. */
function withChosen(options: readonly { value: string; label: string }[], chosen: string) {
  const isListed = chosen === '' || options.some(({ value }) => value === chosen);
  return isListed ? [...options] : [{ value: chosen, label: chosen }, ...options];
}
