import { Checkbox, Fieldset, Radio, SimpleGrid, Stack, TagsInput, Text } from '@mantine/core';
import type { KeyFormValues } from './key-form-values';
import { KEY_SCOPES } from './key-scopes';

interface AccessInputProps {
  values: Pick<KeyFormValues, 'scopes' | 'allowed_ips'>;
  change: (changed: Partial<KeyFormValues>) => void;
  errorOf: (field: keyof KeyFormValues) => string | undefined;
  isLocked: (field: keyof KeyFormValues) => boolean;
}

const ALL = KEY_SCOPES.map(({ scope }) => scope);

/** What a key may be used for, and from where. */
export function AccessInput({ values, change, errorOf, isLocked }: AccessInputProps) {
  const { scopes, allowed_ips } = values;
  return (
    <Fieldset legend="Access" p="md">
      <Stack>
        <Radio.Group
          label="Scopes"
          description="Requests to other endpoints are answered “not found”"
          value={scopes === null ? 'all' : 'some'}
          onChange={(choice) => change({ scopes: choice === 'all' ? null : ALL })}
          error={errorOf('scopes')}
        >
          <Stack gap="xs" mt="xs">
            <Radio value="all" label="Everything" disabled={isLocked('scopes')} />
            <Radio value="some" label="Only what is selected" disabled={isLocked('scopes')} />
          </Stack>
        </Radio.Group>
        {scopes !== null && <Scopes value={scopes} change={change} isLocked={isLocked('scopes')} />}
        <TagsInput
          label="Allowed IP addresses"
          description="Addresses or ranges such as 192.0.2.0/24. Requests from elsewhere are rejected"
          placeholder={allowed_ips === null ? 'All addresses' : undefined}
          value={[...(allowed_ips ?? [])]}
          onChange={(written) => change({ allowed_ips: written.length === 0 ? null : written })}
          splitChars={[',', ' ']}
          acceptValueOnBlur
          clearable
          clearButtonProps={{ 'aria-label': 'Clear the IP addresses' }}
          disabled={isLocked('allowed_ips')}
          error={errorOf('allowed_ips')}
        />
      </Stack>
    </Fieldset>
  );
}

interface ScopesProps {
  value: readonly string[];
  change: AccessInputProps['change'];
  isLocked: boolean;
}

function Scopes({ value, change, isLocked }: ScopesProps) {
  return (
    <Checkbox.Group
      aria-label="Selected scopes"
      value={[...value]}
      // A key without scopes could do nothing.
      onChange={(scopes) => scopes.length > 0 && change({ scopes })}
    >
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs">
        {KEY_SCOPES.map(({ scope, label, hint }) => (
          <Checkbox key={scope} value={scope} label={label} description={hint} disabled={isLocked} />
        ))}
      </SimpleGrid>
      {value.length === 1 && (
        <Text size="xs" c="dimmed" mt="xs">
          A key needs at least one scope.
        </Text>
      )}
    </Checkbox.Group>
  );
}
