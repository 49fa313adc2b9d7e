import { Button, Group, Modal, Select, Stack, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { addMemberTo } from '../../../api/admin-accounts';
import type { Role } from '../../../api/auth';
import { ErrorState } from '../../../ui/error-state';
import { fieldError } from '../../../ui/field-error';
import { SecretNotice } from '../../../ui/secret-notice';

const ROLES: readonly { value: Role; label: string }[] = [
  { value: 'owner', label: 'Owner: full access' },
  { value: 'member', label: 'Member: keys and playground' },
  { value: 'viewer', label: 'Viewer: read-only' },
];

interface AddMemberDialogProps {
  accountId: string;
  opened: boolean;
  onClose: () => void;
}

type MemberInput = Parameters<typeof addMemberTo>[1];

/** For an account without members, or whose members have lost their passwords. */
export function AddMemberDialog({ accountId, opened, onClose }: AddMemberDialogProps) {
  const queryClient = useQueryClient();
  const adding = useMutation({
    mutationFn: (member: MemberInput) => addMemberTo(accountId, member),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['admin'] }),
  });
  const close = () => {
    onClose();
    adding.reset();
  };
  const { data: made } = adding;
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={made ? 'Member added' : 'Add member'}
      // A click outside must not close the only view of the password.
      closeOnClickOutside={!made}
      closeOnEscape={!made}
      withCloseButton={!made}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {made ? (
        <Stack>
          <SecretNotice
            title={`Initial password for ${made.email}`}
            value={made.password}
            copyLabel="Copy password"
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Close
            </Button>
          </Group>
        </Stack>
      ) : (
        <MemberForm
          onSubmit={adding.mutate}
          isPending={adding.isPending}
          error={adding.error}
          onCancel={close}
        />
      )}
    </Modal>
  );
}

interface FormProps {
  onSubmit: (member: MemberInput) => void;
  isPending: boolean;
  error: unknown;
  onCancel: () => void;
}

function MemberForm({ onSubmit, isPending, error, onCancel }: FormProps) {
  const [role, setRole] = useState<Role>('owner');
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    onSubmit({ email: String(form.get('email')).trim(), name: String(form.get('name')).trim(), role });
  };
  const isOfField = fieldError(error, 'email') ?? fieldError(error, 'name');
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label="Email"
          name="email"
          type="email"
          autoComplete="off"
          required
          data-autofocus
          error={fieldError(error, 'email')}
        />
        <TextInput
          label="Name"
          name="name"
          autoComplete="off"
          required
          maxLength={200}
          error={fieldError(error, 'name')}
        />
        <Select
          label="Role"
          data={ROLES}
          value={role}
          onChange={(value) => setRole((value as Role | null) ?? role)}
          allowDeselect={false}
        />
        {error !== null && !isOfField && <ErrorState error={error} title="Member not added" />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={isPending}>
            Add member
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
