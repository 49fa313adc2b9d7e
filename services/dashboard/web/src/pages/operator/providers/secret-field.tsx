import { Input, PasswordInput, SegmentedControl, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';

const SOURCES = [
  { value: 'secret', label: 'Secret' },
  { value: 'secret_ref', label: 'Reference' },
];

interface SecretFieldProps {
  label: string;
  description: string;
  required: boolean;
  error?: string | undefined;
}

/**
 * A secret, or a reference to it, as the field `secret` or `secret_ref` of the form. The value is only in the document, never in the
 * page's state.
 */
export function SecretField({ label, description, required, error }: SecretFieldProps) {
  const [source, setSource] = useState('secret');
  return (
    <Stack gap={6}>
      <div>
        <Input.Label component="div" required={required}>
          {label}
        </Input.Label>
        <Input.Description mb={6}>{description}</Input.Description>
        <SegmentedControl
          aria-label={`${label}: kind`}
          data={SOURCES}
          value={source}
          onChange={setSource}
          size="xs"
        />
      </div>
      {source === 'secret' ? (
        <PasswordInput
          key="secret"
          name="secret"
          aria-label={label}
          required={required}
          autoComplete="new-password"
          spellCheck={false}
          visibilityToggleButtonProps={{ 'aria-label': `Show or hide: ${label}` }}
          error={error}
        />
      ) : (
        <TextInput
          key="secret_ref"
          name="secret_ref"
          aria-label={`Reference to the ${label.toLowerCase()}`}
          description="Resolved by chat and media from their environment or their folder of secrets"
          inputWrapperOrder={['input', 'description', 'error']}
          placeholder="env:CREDENTIAL_MAIN or file:main"
          required={required}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          error={error}
        />
      )}
    </Stack>
  );
}
