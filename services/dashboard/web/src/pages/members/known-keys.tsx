import { Anchor, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { keyState } from '../../api/key-state';
import type { ApiKey } from '../../api/keys';
import { listRemovedMembers, type RemovedMember } from '../../api/members';
import { ErrorState } from '../../ui/error-state';
import { Section } from '../../ui/section';
import { StatusBadge } from '../../ui/status-badge';
import { Time } from '../../ui/time';

/** The keys that removed members know, for owners. Nothing if there are none. */
export function KeysOfRemovedMembers() {
  const { data, error, refetch } = useQuery({
    queryKey: ['members', 'removed'],
    queryFn: listRemovedMembers,
  });
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!data?.length) return null;
  return (
    <Section title="Keys known to removed members">
      <Text size="sm" c="dimmed" mb="md">
        They have seen the values of these keys, which still exist. Regenerate, disable or delete them.
      </Text>
      <Stack>
        {data.map((member) => (
          <RemovedHolder key={member.id} member={member} />
        ))}
      </Stack>
    </Section>
  );
}

function RemovedHolder({ member: { name, email, removed_at, keys } }: { member: RemovedMember }) {
  return (
    <div>
      <Text size="sm" fw={500} style={{ overflowWrap: 'anywhere' }}>
        {name}
      </Text>
      <Text size="xs" c="dimmed" mb={4} style={{ overflowWrap: 'anywhere' }}>
        {email} · removed <Time at={removed_at} relative />
      </Text>
      <KnownKeys keys={keys} />
    </div>
  );
}

export function KnownKeys({ keys }: { keys: readonly ApiKey[] }) {
  return (
    <Stack gap={4}>
      {keys.map((key) => (
        <Group key={key.id} gap="xs">
          <Anchor component={Link} to={`/keys/${key.id}`} size="sm" style={{ overflowWrap: 'anywhere' }}>
            {key.name}
          </Anchor>
          <Text size="xs" c="dimmed" ff="monospace">
            sk-gw-…{key.hint}
          </Text>
          <StatusBadge status={keyState(key, Date.now())} />
        </Group>
      ))}
    </Stack>
  );
}

/** Shown after a removal. @param keys undefined: closed */
export function KnownKeysDialog({
  keys,
  onClose,
}: {
  keys: readonly ApiKey[] | undefined;
  onClose: () => void;
}) {
  return (
    <Modal
      opened={keys !== undefined}
      onClose={onClose}
      title="Member removed"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack>
        <Text size="sm">
          They know the values of these keys. Regenerate, disable or delete each key that they could still
          use:
        </Text>
        <KnownKeys keys={keys ?? []} />
        <Group justify="flex-end">
          <Button onClick={onClose}>Done</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
