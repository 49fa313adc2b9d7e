import { Textarea } from '@mantine/core';

interface JsonFieldProps {
  label: string;
  description: string;
  placeholder?: string;
  value: string;
  onChange: (text: string) => void;
  error?: string | undefined;
}

export function JsonField({ onChange, ...props }: JsonFieldProps) {
  return (
    <Textarea
      {...props}
      onChange={(event) => onChange(event.currentTarget.value)}
      autosize
      minRows={2}
      maxRows={16}
      spellCheck={false}
      autoComplete="off"
      styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 } }}
    />
  );
}
