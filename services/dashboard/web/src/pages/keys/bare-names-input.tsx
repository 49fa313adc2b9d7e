import { Select } from '@mantine/core';
import { BARE_NAMES, type BareNames, bareNamesOf, toSetting } from './bare-names';

interface BareNamesInputProps {
  value: boolean | null;
  onChange: (value: boolean | null) => void;
  error?: string | undefined;
}

/** Whether requests with the key may name models without a provider. */
export function BareNamesInput({ value, onChange, error }: BareNamesInputProps) {
  return (
    <Select
      label="Model names without a provider"
      description="Such as gpt-4o or sonnet, for clients that can’t send other names"
      data={Object.entries(BARE_NAMES).map(([choice, label]) => ({ value: choice, label }))}
      value={bareNamesOf(value)}
      onChange={(choice) => onChange(toSetting((choice ?? 'account') as BareNames))}
      allowDeselect={false}
      error={error}
    />
  );
}
