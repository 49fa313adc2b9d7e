import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { Link } from 'react-router';
import { createAccount, type NewAccount } from '../../../api/admin-accounts';
import { ErrorState } from '../../../ui/error-state';
import { fieldError } from '../../../ui/field-error';
import { SecretNotice } from '../../../ui/secret-notice';
import { useIdempotentCalls } from '../money/use-idempotent-calls';

const FIELDS = ['name', 'owner.email', 'owner.name', 'email'];

interface DialogProps {
  opened: boolean;
  onClose: () => void;
}

/** Creates an account and its owner; the gateway sends no mail, so the operator hands over the initial password. */
export function NewAccountDialog({ opened, onClose }: DialogProps) {
  const calls = useIdempotentCalls(opened);
  const queryClient = useQueryClient();
  const creation = useMutation({
    mutationFn: (account: Parameters<typeof createAccount>[0]) =>
      calls.call(account, (key) => createAccount(account, key)),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['admin', 'accounts'] }),
  });
  const close = () => {
    onClose();
    creation.reset();
  };
  const { data: made } = creation;
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={made ? 'Account created' : 'New account'}
      // A click outside must not close the only view of the password.
      closeOnClickOutside={!made?.owner}
      closeOnEscape={!made?.owner}
      withCloseButton={!made?.owner}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {made ? (
        <Created account={made} onClose={close} />
      ) : (
        <AccountForm
          onSubmit={creation.mutate}
          isPending={creation.isPending}
          error={creation.error}
          onCancel={close}
        />
      )}
    </Modal>
  );
}

interface FormProps {
  onSubmit: (account: Parameters<typeof createAccount>[0]) => void;
  isPending: boolean;
  error: unknown;
  onCancel: () => void;
}

function AccountForm({ onSubmit, isPending, error, onCancel }: FormProps) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string) => String(form.get(name)).trim();
    const email = text('email');
    const owner = { email, ...(text('owner') && { name: text('owner') }) };
    onSubmit({ name: text('name'), ...(email && { owner }) });
  };
  const isOfField = FIELDS.some((field) => fieldError(error, field));
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label="Name of the account"
          description="A company, a team or a person"
          name="name"
          required
          maxLength={200}
          data-autofocus
          error={fieldError(error, 'name')}
        />
        <TextInput
          label="Email of its owner"
          description="Optional: members can be added later"
          name="email"
          type="email"
          autoComplete="off"
          error={fieldError(error, 'owner.email') ?? fieldError(error, 'email')}
        />
        <TextInput
          label="Name of its owner"
          name="owner"
          autoComplete="off"
          maxLength={200}
          error={fieldError(error, 'owner.name')}
        />
        {error !== null && !isOfField && <ErrorState error={error} title="Account not created" />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={isPending}>
            Create account
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function Created({ account, onClose }: { account: NewAccount; onClose: () => void }) {
  return (
    <Stack>
      {account.owner ? (
        <SecretNotice
          title={`Initial password for ${account.owner.email}`}
          value={account.owner.password}
          copyLabel="Copy password"
        />
      ) : (
        <Text size="sm">{account.name} has no members yet.</Text>
      )}
      <Text size="sm">Its balance is zero. Requests are rejected until you top it up.</Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Close
        </Button>
        <Button component={Link} to={`/operator/accounts/${account.id}`}>
          Go to account
        </Button>
      </Group>
    </Stack>
  );
}
