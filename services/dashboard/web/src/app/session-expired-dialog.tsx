import { Button, Modal, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { logIn, type Me } from '../api/auth';
import { loginToken } from '../api/login-token';
import { ErrorState } from '../ui/error-state';

/** Above the dialogs, menus and lists of a page. */
const Z_INDEX = 350;

/** Login dialog over a page whose login has ended; the page stays open for the same user. */
export function SessionExpiredDialog({ user }: { user: Me['user'] }) {
  const login = useMutation({ mutationFn: (password: string) => logIn(user.email, password) });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    // Keeps the submit event from forms around the dialog.
    event.stopPropagation();
    login.mutate(String(new FormData(event.currentTarget).get('password')));
  };
  return (
    <Modal
      opened
      onClose={() => {}}
      title="Your session has expired"
      withCloseButton={false}
      closeOnClickOutside={false}
      centered
      zIndex={Z_INDEX}
      overlayProps={{ blur: 5 }}
    >
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm">Log in again to continue. What you typed on this page is still there.</Text>
          <TextInput label="Email" name="email" autoComplete="username" value={user.email} readOnly />
          <PasswordInput
            label="Password"
            name="password"
            autoComplete="current-password"
            required
            data-autofocus
          />
          {login.error && <ErrorState error={login.error} title="Could not log in" />}
          <Button type="submit" loading={login.isPending} fullWidth>
            Log in
          </Button>
          <Button variant="subtle" onClick={() => loginToken.logOut()} fullWidth>
            Log in as a different user
          </Button>
        </Stack>
      </form>
    </Modal>
  );
}
