import { TextInput } from '@mantine/core';

interface PriceInputProps {
  label: string;
  value: string;
  onChange: (text: string) => void;
  error?: string | undefined;
}

/** An amount of USD as typed: a number field would take a comma for nothing, and round what is small. */
export function PriceInput({ label, value, onChange, error }: PriceInputProps) {
  return (
    <TextInput
      label={label}
      leftSection="$"
      placeholder="Not sold"
      inputMode="decimal"
      autoComplete="off"
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      error={error}
    />
  );
}
