import { Button, Group, PasswordInput, Stack } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useRef } from 'react';
import { ApiError } from '../../api/api-error';
import { changePassword } from '../../api/auth';
import { ErrorState } from '../../ui/error-state';
import { fieldError } from '../../ui/field-error';

export function PasswordForm({ email, onChanged }: { email: string; onChanged?: () => void }) {
  const form = useRef<HTMLFormElement>(null);
  const change = useMutation({
    mutationFn: (data: FormData) =>
      changePassword(String(data.get('password')), String(data.get('new_password'))),
    onSuccess: () => {
      form.current?.reset();
      notifications.show({ message: 'Password changed.' });
      onChanged?.();
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
