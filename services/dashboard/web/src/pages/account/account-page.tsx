import { Paper, Text, Title } from '@mantine/core';
import { useMe } from '../../api/use-me';
import { PageHeader } from '../../ui/page-header';
import { PasswordForm } from './password-form';

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
