import { Anchor, Center, Paper, Text, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { logOut } from '../../api/auth';
import { meQuery } from '../../api/use-me';
import { PasswordForm } from './password-form';

/** Shown instead of every page until the user has replaced a password that somebody else has set. */
export function FirstPasswordPage({ email }: { email: string }) {
  const queryClient = useQueryClient();
  return (
    <Center component="main" mih="100vh" p="md">
      <Paper withBorder p={{ base: 'md', sm: 'xl' }} w="100%" maw={440}>
        <Title order={1} size="h3" mb="xs">
          Choose your password
        </Title>
        <Text size="sm" c="dimmed" mb="md">
          Your password was set by somebody else. Choose your own before you continue.
        </Text>
        <PasswordForm email={email} onChanged={() => void queryClient.invalidateQueries(meQuery)} />
        <Text size="sm" mt="md">
          <Anchor component="button" type="button" inherit onClick={() => void logOut()}>
            Log out
          </Anchor>
        </Text>
      </Paper>
    </Center>
  );
}
