import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { formatMoneyExact } from './format-money';
import { parseUsd } from './parse-usd';

interface UsdInputProps {
  label: string;
  description?: string;
  /** Null: empty. */
  value: number | null;
  onChange: (value: number | null) => void;
  error?: string | undefined;
  placeholder?: string;
  disabled?: boolean;
}

/** The pattern of `parseUsd` without a sign: the browser refuses other input. */
const AMOUNT = String.raw`\s*\$?(\d{1,12}|[1-9]\d{0,2}(,\d{3}){1,3})(\.\d{1,9})?\s*`;

/** A USD amount, not negative. */
export function UsdInput({ value, onChange, error, ...props }: UsdInputProps) {
  const [written, setWritten] = useState(() => (value === null ? '' : formatMoneyExact(value).slice(1)));
  // Not while typing: `12.` is incomplete.
  const [isLeft, setLeft] = useState(false);
  const isWrong = isLeft && value === null && written.trim() !== '';
  const write = (text: string) => {
    setWritten(text);
    onChange(parseUsd(text) ?? null);
  };
  return (
    <TextInput
      {...props}
      value={written}
      onChange={(event) => write(event.currentTarget.value)}
      onFocus={() => setLeft(false)}
      onBlur={() => setLeft(true)}
      error={error ?? (isWrong && 'Enter an amount such as 12.50.')}
      leftSection="$"
      pattern={AMOUNT}
      title="An amount in USD, such as 12.50"
      inputMode="decimal"
      autoComplete="off"
    />
  );
}
