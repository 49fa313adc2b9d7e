import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { addMember, type NewMember } from '../../api/members';
import { ErrorState } from '../../ui/error-state';
import { fieldError } from '../../ui/field-error';
import { RoleInput } from './role-input';

interface AddMemberDialogProps {
  opened: boolean;
  onClose: () => void;
  onAdded: (added: NewMember) => void;
}

const MAX_NAME_CHARS = 200;
const FIELDS = ['email', 'name', 'role'] as const;

export function AddMemberDialog({ opened, onClose, onAdded }: AddMemberDialogProps) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title="Add a member"
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <AddMemberForm onClose={onClose} onAdded={onAdded} />
    </Modal>
  );
}

function AddMemberForm({ onClose, onAdded }: Omit<AddMemberDialogProps, 'opened'>) {
  const queryClient = useQueryClient();
  const [values, setValues] = useState({ email: '', name: '', role: 'member' as NewMember['role'] });
  const adding = useMutation({
    mutationFn: addMember,
    onSuccess: (added) => {
      onClose();
      onAdded(added);
      void queryClient.invalidateQueries({ queryKey: ['members'] });
    },
  });
  const { error } = adding;
  const isOfField = FIELDS.some((field) => fieldError(error, field));
  const change = (changed: Partial<typeof values>) => setValues((before) => ({ ...before, ...changed }));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    adding.mutate(values);
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label="Email"
          type="email"
          autoComplete="off"
          required
          value={values.email}
          onChange={(event) => change({ email: event.currentTarget.value })}
          error={fieldError(error, 'email')}
          data-autofocus
        />
        <TextInput
          label="Name"
          autoComplete="off"
          required
          maxLength={MAX_NAME_CHARS}
          value={values.name}
          onChange={(event) => change({ name: event.currentTarget.value })}
          error={fieldError(error, 'name')}
        />
        <RoleInput
          value={values.role}
          onChange={(role) => change({ role })}
          error={fieldError(error, 'role')}
        />
        {error && !isOfField && <ErrorState error={error} title="Member not added" />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} disabled={adding.isPending}>
            Cancel
          </Button>
          <Button type="submit" loading={adding.isPending}>
            Add member
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
