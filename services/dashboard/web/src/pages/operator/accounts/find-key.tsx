import { Button, Card, Code, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Search } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { type FoundKey, findKey } from '../../../api/admin-accounts';
import { ApiError } from '../../../api/api-error';
import { ErrorState } from '../../../ui/error-state';
import { Facts } from '../../../ui/facts';
import { StatusBadge } from '../../../ui/status-badge';
import { Time } from '../../../ui/time';
import { AccountLink } from '../account-link';
import { RevokeKey } from './revoke-key';

/** Finds the key of a leaked value. */
export function FindKey() {
  const [value, setValue] = useState('');
  // The value is removed from memory as soon as it is no longer shown.
  const finding = useMutation({ mutationFn: findKey, gcTime: 0 });
  const { data, error, isPending } = finding;
  const isUnknown = error instanceof ApiError && error.code === 'not_found';
  const isPart = error instanceof ApiError && error.code === 'invalid_request';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (value.trim() !== '') finding.mutate(value);
  };
  return (
    <Stack maw={560}>
      <form onSubmit={submit}>
        <Stack align="flex-start" gap="sm">
          <TextInput
            label="Key"
            description="The complete value. It is not stored or logged."
            placeholder="sk-gw-…"
            autoComplete="off"
            spellCheck={false}
            w="100%"
            styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
            error={isPart && 'Not a complete key. Keys are “sk-gw-” followed by 38 characters.'}
            value={value}
            onChange={(event) => {
              setValue(event.currentTarget.value);
              finding.reset();
            }}
          />
          <Button type="submit" loading={isPending} leftSection={<Search size={16} aria-hidden />}>
            Find key
          </Button>
        </Stack>
      </form>
      <div role="status">
        {isUnknown && (
          <Text size="sm">
            No key has this value. It may have been regenerated, or belong to another environment.
          </Text>
        )}
        {data && <Found found={data} onRevoked={() => finding.mutate(value)} />}
      </div>
      {error && !isUnknown && !isPart && <ErrorState error={error} title="Search failed" />}
    </Stack>
  );
}

function Found({ found, onRevoked }: { found: FoundKey; onRevoked: () => void }) {
  const { name, hint, status, account_id, created_at, value_ends_at } = found;
  return (
    <Card withBorder>
      <Group justify="space-between" mb="sm">
        <Group gap="xs">
          <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
            {name}
          </Text>
          <Code>…{hint}</Code>
          <StatusBadge status={status} />
        </Group>
        <RevokeKey apiKey={found} onRevoked={onRevoked} />
      </Group>
      <Facts
        facts={[
          ['Account', <AccountLink key="account" id={account_id} />],
          ['Created', <Time key="created" at={created_at} relative />],
          ['This value', <ValueState key="value" endsAt={value_ends_at} />],
        ]}
      />
    </Card>
  );
}

function ValueState({ endsAt }: { endsAt: string | null }) {
  if (endsAt === null) return <>Current</>;
  return (
    <>
      Rotated; {Date.parse(endsAt) > Date.now() ? 'valid until' : 'expired'} <Time at={endsAt} />
    </>
  );
}
