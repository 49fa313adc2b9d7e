import { TextInput } from '@mantine/core';

interface PriceInputProps {
  label: string;
  value: string;
  onChange: (text: string) => void;
  error?: string | undefined;
}

/** A USD amount as text: a number input ignores a comma and rounds small amounts. */
export function PriceInput({ label, value, onChange, error }: PriceInputProps) {
  return (
    <TextInput
      label={label}
      leftSection="$"
      placeholder="No price"
      inputMode="decimal"
      autoComplete="off"
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      error={error}
    />
  );
}
