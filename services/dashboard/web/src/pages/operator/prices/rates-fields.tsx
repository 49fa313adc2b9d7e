import { labelOf } from '@gateway/pricing';
import { Button, Fieldset, Group, SimpleGrid } from '@mantine/core';
import { Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { type Problems, problemsAt } from '../models/problems';
import { PriceInput } from './price-input';
import type { RatesDraft } from './prices-draft';

/** More would be too narrow for their labels. */
const MAX_COLUMNS = 6;

interface RatesFieldsProps {
  /** With a title, the fields are a group. */
  legend?: string;
  names: readonly string[];
  rates: RatesDraft;
  onChange: (rates: RatesDraft) => void;
  problems: Problems;
  /** Path of the rates in the API's problems. */
  path: string;
  /** A field before the rates. */
  first?: ReactNode;
  onRemove?: () => void;
}

export function RatesFields(props: RatesFieldsProps) {
  const { legend, names, rates, onChange, problems, path, first, onRemove } = props;
  const columns = Math.min(MAX_COLUMNS, Math.max(3, first ? names.length + 1 : names.length));
  const fields = (
    <SimpleGrid
      cols={{ base: 2, sm: 3, lg: columns }}
      spacing="sm"
      // Keeps inputs in line when a label wraps.
      style={{ alignItems: names.some((name) => problemsAt(problems, `${path}.${name}`)) ? 'start' : 'end' }}
    >
      {first}
      {names.map((name) => (
        <PriceInput
          key={name}
          label={labelOf(name)}
          value={rates[name] ?? ''}
          onChange={(text) => onChange({ ...rates, [name]: text })}
          error={problemsAt(problems, `${path}.${name}`)}
        />
      ))}
    </SimpleGrid>
  );
  if (!legend) return fields;
  return (
    <Fieldset legend={legend} variant="filled">
      {fields}
      {onRemove && (
        <Group justify="flex-end" mt="xs">
          <Button
            variant="subtle"
            color="gray"
            size="compact-sm"
            leftSection={<Trash2 size={14} aria-hidden />}
            onClick={onRemove}
            aria-label={`Remove ${legend}`}
          >
            Remove
          </Button>
        </Group>
      )}
    </Fieldset>
  );
}
