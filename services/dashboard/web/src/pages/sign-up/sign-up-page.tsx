import { Anchor, Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { Link, useLocation } from 'react-router';
import { getRegistration, signUp } from '../../api/auth';
import { ErrorState } from '../../ui/error-state';
import { fieldError } from '../../ui/field-error';
import { PageHeader } from '../../ui/page-header';

const FIELDS = ['name', 'email', 'password'] as const;
const MIN_PASSWORD_CHARS = 8;
const MAX_PASSWORD_CHARS = 256;

export function SignUpPage() {
  const { search } = useLocation();
  const invited = new URLSearchParams(search).get('invitation') ?? '';
  const mode = useQuery({ queryKey: ['registration'], queryFn: getRegistration });
  const registration = useMutation({
    mutationFn: (form: FormData) =>
      signUp({
        name: String(form.get('name')),
        email: String(form.get('email')),
        password: String(form.get('password')),
        ...(form.get('invitation') && { invitation: String(form.get('invitation')).trim() }),
      }),
  });
  const { error } = registration;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    registration.mutate(new FormData(event.currentTarget));
  };
  // Unknown if the mode could not be read, while the server requires one.
  const hasInvitation = mode.data === 'invite';
  const shown = hasInvitation ? [...FIELDS, 'invitation'] : FIELDS;
  const isOfField = shown.some((field) => fieldError(error, field));
  if (mode.data === 'off') return <NoRegistration search={search} />;
  return (
    <>
      <PageHeader title="Sign up" />
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            label="Name"
            name="name"
            autoComplete="name"
            required
            maxLength={200}
            autoFocus
            error={fieldError(error, 'name')}
          />
          <TextInput
            label="Email"
            name="email"
            type="email"
            autoComplete="username"
            required
            error={fieldError(error, 'email')}
          />
          <PasswordInput
            label="Password"
            description={`At least ${MIN_PASSWORD_CHARS} characters`}
            name="password"
            autoComplete="new-password"
            required
            minLength={MIN_PASSWORD_CHARS}
            maxLength={MAX_PASSWORD_CHARS}
            error={fieldError(error, 'password')}
          />
          {hasInvitation && (
            <TextInput
              label="Invitation"
              description="The code that you received from an operator"
              name="invitation"
              autoComplete="off"
              required
              maxLength={200}
              defaultValue={invited}
              error={fieldError(error, 'invitation')}
            />
          )}
          {error && !isOfField && <ErrorState error={error} title="Could not sign up" />}
          <Button type="submit" loading={registration.isPending} fullWidth>
            Sign up
          </Button>
          <Text size="sm" ta="center">
            Already have an account?{' '}
            <Anchor component={Link} to={`/login${search}`} underline="always" inherit>
              Log in
            </Anchor>
          </Text>
        </Stack>
      </form>
    </>
  );
}

function NoRegistration({ search }: { search: string }) {
  return (
    <>
      <PageHeader title="Sign up" />
      <Text size="sm" mb="md">
        Accounts can’t be registered here. Ask the operator of this gateway for one.
      </Text>
      <Anchor component={Link} to={`/login${search}`} size="sm" underline="always">
        Log in
      </Anchor>
    </>
  );
}
