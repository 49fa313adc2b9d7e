import { ActionIcon, Badge, Box, Button, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { KeyRound, Pencil, Trash2, UserPlus, Users } from 'lucide-react';
import { useState } from 'react';
import type { ApiKey } from '../../api/keys';
import { deleteMember, listMembers, type Member, type NewMember, renewPassword } from '../../api/members';
import { useMay, useMe } from '../../api/use-me';
import { ConfirmDialog } from '../../ui/confirm-dialog';
import { type Column, DataTable } from '../../ui/data-table';
import { EmptyState } from '../../ui/empty-state';
import { NewPasswordDialog } from '../../ui/new-password-dialog';
import { PageHeader } from '../../ui/page-header';
import { Time } from '../../ui/time';
import { usePagedList } from '../../ui/use-paged-list';
import { AddMemberDialog } from './add-member-dialog';
import { EditMemberDialog } from './edit-member-dialog';
import { FirstPasswordDialog } from './first-password-dialog';
import { KeysOfRemovedMembers, KnownKeysDialog } from './known-keys';
import { roleLabel } from './roles';

/** Owners add, change and remove members; others see the list. */
export function MembersPage() {
  const list = usePagedList(['members'], (cursor) => listMembers(cursor));
  const mayManage = useMay('owner');
  const { user } = useMe();
  const [isAdding, adding] = useDisclosure();
  const [added, setAdded] = useState<NewMember>();
  const [edited, setEdited] = useState<Member>();
  const [locked, setLocked] = useState<Member>();
  const [removed, setRemoved] = useState<Member>();
  const [knownKeys, setKnownKeys] = useState<readonly ApiKey[]>();
  const add = mayManage && (
    <Button leftSection={<UserPlus size={16} aria-hidden />} onClick={adding.open}>
      Add member
    </Button>
  );
  const actions = actionsColumn(user.id, { edit: setEdited, renew: setLocked, remove: setRemoved });
  const columns = mayManage ? [...COLUMNS, actions] : COLUMNS;
  return (
    <>
      <PageHeader title="Members" description="People with access to this account" actions={add} />
      <DataTable
        label="Members"
        columns={columns}
        list={list}
        rowKey={({ id }) => id}
        empty={<EmptyState title="No members" icon={Users} />}
      />
      <AddMemberDialog opened={isAdding} onClose={adding.close} onAdded={setAdded} />
      <FirstPasswordDialog added={added} onClose={() => setAdded(undefined)} />
      <EditMemberDialog member={edited} onClose={() => setEdited(undefined)} />
      <NewPasswordDialog member={locked} renew={renewPassword} onClose={() => setLocked(undefined)} />
      {mayManage && (
        <Box mt="lg">
          <KeysOfRemovedMembers />
        </Box>
      )}
      <RemoveMember member={removed} onClose={() => setRemoved(undefined)} onKnownKeys={setKnownKeys} />
      <KnownKeysDialog keys={knownKeys} onClose={() => setKnownKeys(undefined)} />
    </>
  );
}

const COLUMNS: readonly Column<Member>[] = [
  { title: 'Name', cell: (member) => <Who member={member} /> },
  { title: 'Role', cell: ({ role }) => roleLabel(role) },
  { title: 'Added', cell: ({ created_at }) => <Time at={created_at} relative /> },
];

type Actions = Readonly<Record<'edit' | 'renew' | 'remove', (member: Member) => void>>;

const actionsColumn = (ownId: string, { edit, renew, remove }: Actions): Column<Member> => ({
  title: 'Actions',
  titleHidden: true,
  numeric: true,
  cell: (member) => (
    <Group gap={4} justify="flex-end" wrap="nowrap">
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={`Edit ${member.email}`}
        onClick={() => edit(member)}
      >
        <Pencil size={16} aria-hidden />
      </ActionIcon>
      {/* The own one is changed where the old one is asked for. */}
      {member.id !== ownId && (
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={`New password for ${member.email}`}
          title="New password"
          onClick={() => renew(member)}
        >
          <KeyRound size={16} aria-hidden />
        </ActionIcon>
      )}
      <ActionIcon
        variant="subtle"
        color="red"
        aria-label={`Remove ${member.email}`}
        onClick={() => remove(member)}
      >
        <Trash2 size={16} aria-hidden />
      </ActionIcon>
    </Group>
  ),
});

function Who({ member: { id, name, email } }: { member: Member }) {
  const { user } = useMe();
  return (
    <div>
      <Text component="div" size="sm" fw={500} style={{ overflowWrap: 'anywhere' }}>
        {name}
        {id === user.id && (
          <Badge size="xs" variant="default" ml="xs">
            you
          </Badge>
        )}
      </Text>
      <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {email}
      </Text>
    </div>
  );
}

type RemovedWithKeys = Awaited<ReturnType<typeof deleteMember>>;

interface RemoveMemberProps {
  member: Member | undefined;
  onClose: () => void;
  onKnownKeys: (keys: readonly ApiKey[]) => void;
}

function RemoveMember({ member, onClose, onKnownKeys }: RemoveMemberProps) {
  const queryClient = useQueryClient();
  const done = ({ keys }: RemovedWithKeys) => {
    if (keys.length > 0) onKnownKeys(keys);
    else notifications.show({ message: 'Member removed.' });
    void queryClient.invalidateQueries({ queryKey: ['members'] });
  };
  return (
    <ConfirmDialog
      opened={member !== undefined}
      onClose={onClose}
      title={member ? `Remove ${member.name}?` : ''}
      confirm="Remove"
      dangerous
      action={() => deleteMember(member?.id ?? '')}
      onDone={done}
    >
      {member && (
        <Text size="sm">
          {member.email} is logged out immediately and can’t log in again. Keys are not affected: you will see
          which ones they know.
        </Text>
      )}
    </ConfirmDialog>
  );
}
