import { Alert, Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { type Member, updateMember } from '../../api/members';
import { meQuery, useMe } from '../../api/use-me';
import { ErrorState } from '../../ui/error-state';
import { fieldError } from '../../ui/field-error';
import { RoleInput } from './role-input';

interface EditMemberDialogProps {
  /** Undefined: closed. */
  member: Member | undefined;
  onClose: () => void;
}

const MAX_NAME_CHARS = 200;

export function EditMemberDialog({ member, onClose }: EditMemberDialogProps) {
  return (
    <Modal
      opened={member !== undefined}
      onClose={onClose}
      title={member ? `Edit ${member.email}` : ''}
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {member && <EditMemberForm member={member} onClose={onClose} />}
    </Modal>
  );
}

function EditMemberForm({ member, onClose }: { member: Member; onClose: () => void }) {
  const { user } = useMe();
  const queryClient = useQueryClient();
  const [name, setName] = useState(member.name);
  const [role, setRole] = useState(member.role);
  const change = useMutation({
    mutationFn: () =>
      updateMember(member.id, {
        ...(name !== member.name && { name }),
        ...(role !== member.role && { role }),
      }),
    onSuccess: (changed) => {
      notifications.show({ message: `${changed.name} updated. Changes apply from their next request.` });
      onClose();
      void queryClient.invalidateQueries({ queryKey: ['members'] });
      if (changed.id === user.id) void queryClient.invalidateQueries(meQuery);
    },
  });
  const { error } = change;
  const isOfField = fieldError(error, 'name') ?? fieldError(error, 'role');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label="Name"
          autoComplete="off"
          required
          maxLength={MAX_NAME_CHARS}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={fieldError(error, 'name')}
          data-autofocus
        />
        <RoleInput value={role} onChange={setRole} error={fieldError(error, 'role')} />
        {member.id === user.id && role !== 'owner' && (
          <Alert color="yellow" title="This is you">
            You will no longer be able to manage members or undo this yourself.
          </Alert>
        )}
        {error && !isOfField && <ErrorState error={error} title="Member not saved" />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} disabled={change.isPending}>
            Cancel
          </Button>
          <Button
            type="submit"
            loading={change.isPending}
            disabled={name === member.name && role === member.role}
          >
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
