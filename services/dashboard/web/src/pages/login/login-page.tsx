import { Anchor, Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { Link, useLocation } from 'react-router';
import { logIn } from '../../api/auth';
import { ErrorState } from '../../ui/error-state';
import { PageHeader } from '../../ui/page-header';

export function LoginPage() {
  const { search } = useLocation();
  const login = useMutation({
    mutationFn: (form: FormData) => logIn(String(form.get('email')), String(form.get('password'))),
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    login.mutate(new FormData(event.currentTarget));
  };
  return (
    <>
      <PageHeader title="Log in" />
      <form onSubmit={submit}>
        <Stack>
          <TextInput label="Email" name="email" type="email" autoComplete="username" required autoFocus />
          <PasswordInput label="Password" name="password" autoComplete="current-password" required />
          {login.error && <ErrorState error={login.error} title="Could not log in" />}
          <Button type="submit" loading={login.isPending} fullWidth>
            Log in
          </Button>
          <Text size="sm" ta="center">
            No account yet?{' '}
            <Anchor component={Link} to={`/sign-up${search}`} underline="always" inherit>
              Sign up
            </Anchor>
          </Text>
        </Stack>
      </form>
    </>
  );
}
