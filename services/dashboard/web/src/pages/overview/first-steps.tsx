import { Anchor, Box, Button, Group, Paper, Text, ThemeIcon, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Check } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { listModels } from '../../api/models';
import { useApiUrl } from '../../api/use-api-url';
import { useMe } from '../../api/use-me';
import { ApiUrlNote } from '../../ui/api-url-note';
import { CodeBlock } from '../../ui/code-block';
import { CopyButton } from '../../ui/copy-button';
import { cheapestChatModel } from './cheapest-chat-model';
import type { Progress } from './use-first-steps';

/** Onboarding of a new account. */
export function FirstSteps({ progress }: { progress: Progress }) {
  return (
    <Paper withBorder p="md" pb={0}>
      <Title order={2} size="h5" mb="md">
        First steps
      </Title>
      <Box component="ol" p={0} m={0} style={{ listStyle: 'none' }}>
        <Step index={1} done={progress.hasKey} title="Create a key">
          API keys authenticate your requests. The value is shown once.
          <Button
            component={Link}
            to="/keys"
            size="xs"
            mt="xs"
            display="block"
            w="fit-content"
            variant="default"
          >
            Go to keys
          </Button>
        </Step>
        <Step index={2} done={progress.hasMoney} title="Top up">
          <TopUpHint />
        </Step>
        <Step index={3} done={progress.hasCalled} title="Make your first request">
          <FirstCall />
        </Step>
      </Box>
    </Paper>
  );
}

interface StepProps {
  index: number;
  done: boolean;
  title: string;
  children: ReactNode;
}

function Step({ index, done, title, children }: StepProps) {
  return (
    <Group component="li" align="flex-start" wrap="nowrap" gap="sm" mb="md">
      <ThemeIcon size={26} radius="xl" variant={done ? 'filled' : 'default'} color="teal" aria-hidden>
        {done ? <Check size={15} /> : <Text size="xs">{index}</Text>}
      </ThemeIcon>
      <Box flex={1} miw={0}>
        <Text fw={600} size="sm" lh="26px">
          {title}
          {done && (
            <Text span size="xs" c="dimmed" ml={8}>
              done
            </Text>
          )}
        </Text>
        {!done && (
          <Text component="div" size="sm" c="dimmed">
            {children}
          </Text>
        )}
      </Box>
    </Group>
  );
}

function TopUpHint() {
  const { account } = useMe();
  return (
    <>
      Requests are paid from your balance. To top up, send your account ID to the operator of this gateway.
      <Group gap={4} mt={4} wrap="nowrap">
        <Text size="sm" ff="monospace" c="var(--mantine-color-text)" style={{ overflowWrap: 'anywhere' }}>
          {account.id}
        </Text>
        <CopyButton value={account.id} label="Copy account ID" />
      </Group>
      <Anchor component={Link} to="/billing" size="sm" underline="always">
        See balance and top-ups
      </Anchor>
    </>
  );
}

function FirstCall() {
  const { apiUrl } = useApiUrl();
  const models = useQuery({
    queryKey: ['models', 'chat'],
    queryFn: () => listModels('chat', undefined, 1_000),
  });
  const usable = cheapestChatModel(models.data?.data ?? []);
  const body = { model: usable?.slug ?? 'sim/chat', messages: [{ role: 'user', content: 'Hello!' }] };
  const code = [
    `curl ${apiUrl}/v1/chat/completions \\`,
    `  -H "Authorization: Bearer $GATEWAY_KEY" \\`,
    `  -H "Content-Type: application/json" \\`,
    `  -d '${JSON.stringify(body)}'`,
  ].join('\n');
  return (
    <>
      <Text size="sm" mb="xs">
        Replace <code>$GATEWAY_KEY</code> with the value of your key. The request appears under Requests with
        its cost.
      </Text>
      <CodeBlock code={code} label="curl" />
      <ApiUrlNote />
    </>
  );
}
