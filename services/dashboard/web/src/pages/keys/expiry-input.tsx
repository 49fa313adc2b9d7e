import { Select, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { formatTime } from '../../ui/format-time';
import { fromLocalTime, toLocalTime } from './local-time';

interface ExpiryInputProps {
  /** Null: never. */
  value: string | null;
  onChange: (value: string | null) => void;
  disabled?: boolean;
  error?: string | undefined;
}

const DAY_MS = 86_400_000;
const NEVER = 'never';
const ON_A_DATE = 'date';
const CHOICES = [
  { value: NEVER, label: 'Never' },
  { value: '1', label: 'In 1 day' },
  { value: '7', label: 'In 7 days' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In 1 year' },
  { value: ON_A_DATE, label: 'On a specific date' },
];

export function ExpiryInput({ value, onChange, disabled = false, error }: ExpiryInputProps) {
  const [choice, setChoice] = useState(value === null ? NEVER : ON_A_DATE);
  const choose = (chosen: string | null) => {
    if (chosen === null) return;
    setChoice(chosen);
    if (chosen === NEVER) onChange(null);
    else if (chosen !== ON_A_DATE) onChange(new Date(Date.now() + Number(chosen) * DAY_MS).toISOString());
  };
  const isPreset = choice !== NEVER && choice !== ON_A_DATE;
  return (
    <Stack gap="xs">
      <Select
        disabled={disabled}
        label="Expires"
        data={CHOICES}
        value={choice}
        onChange={choose}
        allowDeselect={false}
        description={isPreset && value ? formatTime(value) : 'Requests then return expired_api_key'}
        error={choice === ON_A_DATE ? undefined : error}
      />
      {choice === ON_A_DATE && (
        <TextInput
          disabled={disabled}
          type="datetime-local"
          label="Expires on"
          required
          defaultValue={value ? toLocalTime(value) : ''}
          onChange={(event) => onChange(fromLocalTime(event.currentTarget.value))}
          error={error}
        />
      )}
    </Stack>
  );
}
