import { Anchor, Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { Link, useLocation } from 'react-router';
import { signUp } from '../../api/auth';
import { ErrorState } from '../../ui/error-state';
import { fieldError } from '../../ui/field-error';
import { PageHeader } from '../../ui/page-header';

const FIELDS = ['name', 'email', 'password'] as const;
const MIN_PASSWORD_CHARS = 8;
const MAX_PASSWORD_CHARS = 256;

export function SignUpPage() {
  const { search } = useLocation();
  const registration = useMutation({
    mutationFn: (form: FormData) =>
      signUp({
        name: String(form.get('name')),
        email: String(form.get('email')),
        password: String(form.get('password')),
      }),
  });
  const { error } = registration;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    registration.mutate(new FormData(event.currentTarget));
  };
  const isOfField = FIELDS.some((field) => fieldError(error, field));
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
