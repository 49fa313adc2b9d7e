import { Button, Group, Paper, PasswordInput, Stack, Text, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useRef } from 'react';
import { ApiError } from '../../api/api-error';
import { changePassword } from '../../api/auth';
import { useMe } from '../../api/use-me';
import { ErrorState } from '../../ui/error-state';
import { fieldError } from '../../ui/field-error';
import { PageHeader } from '../../ui/page-header';

/** The user's own profile. */
export function AccountPage() {
  const { user, role } = useMe();
  return (
    <>
      <PageHeader title="Profile" description={`${user.email}, ${role} of this account`} />
      <Paper withBorder p="lg" maw={480}>
        <Title order={2} size="h4" mb="xs">
          Change password
        </Title>
        <Text size="sm" c="dimmed" mb="md">
          This logs you out everywhere else.
        </Text>
        <PasswordForm email={user.email} />
      </Paper>
    </>
  );
}

function PasswordForm({ email }: { email: string }) {
  const form = useRef<HTMLFormElement>(null);
  const change = useMutation({
    mutationFn: (data: FormData) =>
      changePassword(String(data.get('password')), String(data.get('new_password'))),
    onSuccess: () => {
      form.current?.reset();
      notifications.show({ message: 'Password changed.' });
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    change.mutate(new FormData(event.currentTarget));
  };
  const isWrong = change.error instanceof ApiError && change.error.code === 'invalid_credentials';
  return (
    <form ref={form} onSubmit={submit}>
      <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
      <Stack>
        <PasswordInput
          label="Current password"
          name="password"
          autoComplete="current-password"
          required
          error={isWrong && 'This is not your current password.'}
        />
        <PasswordInput
          label="New password"
          name="new_password"
          autoComplete="new-password"
          description="At least 8 characters"
          required
          minLength={8}
          maxLength={256}
          error={fieldError(change.error, 'new_password')}
        />
        {change.error && !isWrong && !fieldError(change.error, 'new_password') && (
          <ErrorState error={change.error} title="Password not changed" />
        )}
        <Group>
          <Button type="submit" loading={change.isPending}>
            Change password
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
