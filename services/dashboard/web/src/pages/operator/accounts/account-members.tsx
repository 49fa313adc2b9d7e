import { Box, Button, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { UserPlus, Users } from 'lucide-react';
import { useState } from 'react';
import { listMembersOf, renewPasswordIn } from '../../../api/admin-accounts';
import type { Member } from '../../../api/members';
import { useMe } from '../../../api/use-me';
import { type Column, DataTable } from '../../../ui/data-table';
import { EmptyState } from '../../../ui/empty-state';
import { NewPasswordDialog } from '../../../ui/new-password-dialog';
import { Time } from '../../../ui/time';
import { usePagedList } from '../../../ui/use-paged-list';
import { AddMemberDialog } from './add-member-dialog';

const COLUMNS: readonly Column<Member>[] = [
  {
    title: 'Member',
    cell: ({ name, email }) => (
      <Box miw={0}>
        <Text size="sm">{name}</Text>
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {email}
        </Text>
      </Box>
    ),
  },
  { title: 'Role', cell: ({ role }) => `${role.charAt(0).toUpperCase()}${role.slice(1)}` },
  { title: 'Added', cell: ({ created_at }) => <Time at={created_at} relative /> },
];

const passwordColumn = (ownId: string, renew: (member: Member) => void): Column<Member> => ({
  title: 'Password',
  titleHidden: true,
  numeric: true,
  // Operators change their own password on their account page, which asks for the old one.
  cell: (member) =>
    member.id !== ownId && (
      <Button
        size="compact-sm"
        variant="default"
        onClick={() => renew(member)}
        aria-label={`New password for ${member.email}`}
      >
        New password
      </Button>
    ),
});

export function AccountMembers({ accountId }: { accountId: string }) {
  const [isAdding, adding] = useDisclosure();
  const [locked, setLocked] = useState<Member>();
  const { user } = useMe();
  const list = usePagedList(['admin', 'account', accountId, 'members'], (cursor) =>
    listMembersOf(accountId, cursor),
  );
  return (
    <Stack>
      <Group justify="flex-end">
        <Button
          variant="default"
          size="xs"
          leftSection={<UserPlus size={14} aria-hidden />}
          onClick={adding.open}
        >
          Add member
        </Button>
      </Group>
      <DataTable
        label="Members of this account"
        columns={[...COLUMNS, passwordColumn(user.id, setLocked)]}
        list={list}
        rowKey={({ id }) => id}
        empty={
          <EmptyState title="No members" icon={Users}>
            This account has no members, so no one can log in. Add an owner, who can then add other members.
          </EmptyState>
        }
      />
      <AddMemberDialog accountId={accountId} opened={isAdding} onClose={adding.close} />
      <NewPasswordDialog
        member={locked}
        renew={(id) => renewPasswordIn(accountId, id)}
        onClose={() => setLocked(undefined)}
      />
    </Stack>
  );
}
