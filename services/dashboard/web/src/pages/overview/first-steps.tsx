import { Anchor, Box, Button, Group, Paper, Skeleton, Text, ThemeIcon, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Check } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { Link } from 'react-router';
import { getBalance, listTopups } from '../../api/billing';
import { listKeys } from '../../api/keys';
import { listModels } from '../../api/models';
import { listRequests } from '../../api/requests';
import { useApiUrl } from '../../api/use-api-url';
import { useMe } from '../../api/use-me';
import { CodeBlock } from '../../ui/code-block';
import { CopyButton } from '../../ui/copy-button';
import { cheapestChatModel } from './cheapest-chat-model';
import { areStepsKnownDone, rememberStepsDone } from './steps-memory';

const REFETCH_INTERVAL_MS = 5_000;

interface Progress {
  readonly hasKey: boolean;
  readonly hasMoney: boolean;
  readonly hasCalled: boolean;
}

/** About as high as the steps, none of them done. */
const HEIGHT_PX = 510;

/** What a new account does first; gone for good once it has made a call that went well. */
export function FirstSteps() {
  const { account } = useMe();
  const [isDone] = useState(() => areStepsKnownDone(account.id));
  return isDone ? null : <OpenSteps accountId={account.id} />;
}

function OpenSteps({ accountId }: { accountId: string }) {
  const { progress, isUnknown } = useProgress();
  const isDone = progress?.hasKey && progress.hasMoney && progress.hasCalled;
  useEffect(() => {
    if (isDone) rememberStepsDone(accountId);
  }, [isDone, accountId]);
  if (isDone || isUnknown) return null;
  if (!progress) return <Skeleton height={HEIGHT_PX} />;
  return (
    <Paper withBorder p="md" pb={0}>
      <Title order={2} size="h5" mb="md">
        First steps
      </Title>
      <Box component="ol" p={0} m={0} style={{ listStyle: 'none' }}>
        <Step index={1} done={progress.hasKey} title="Create a key">
          Programs call the gateway with it. Its value is shown once.
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
        <Step index={3} done={progress.hasCalled} title="Make the first call">
          <FirstCall />
        </Step>
      </Box>
    </Paper>
  );
}

function Step({
  index,
  done,
  title,
  children,
}: {
  index: number;
  done: boolean;
  title: string;
  children: ReactNode;
}) {
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
      Calls are paid from your balance. The operator of this gateway tops it up: give them the id of your
      account.
      <Group gap={4} mt={4}>
        <Text size="sm" ff="monospace" c="var(--mantine-color-text)" style={{ overflowWrap: 'anywhere' }}>
          {account.id}
        </Text>
        <CopyButton value={account.id} label="Copy account id" />
      </Group>
      <Anchor component={Link} to="/billing" size="sm" underline="always">
        See balance and top-ups
      </Anchor>
    </>
  );
}

function FirstCall() {
  const apiUrl = useApiUrl();
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
        Put the key’s value in place of <code>$GATEWAY_KEY</code>. The call appears under Requests with its
        cost.
      </Text>
      <CodeBlock code={code} label="curl" />
    </>
  );
}

/** Nothing until all of it is known, so that nobody sees steps that are done already. */
function useProgress(): { progress?: Progress; isUnknown: boolean } {
  const keys = useQuery({ queryKey: ['keys', 'any'], queryFn: () => listKeys(undefined, 1) });
  const balance = useQuery({ queryKey: ['billing', 'balance'], queryFn: getBalance });
  const topups = useQuery({
    queryKey: ['billing', 'topups', 'any'],
    queryFn: () => listTopups(undefined, 1),
  });
  const calls = useQuery({
    queryKey: ['requests', 'good'],
    queryFn: () => listRequests({ status: 200 }, undefined, 1),
    refetchInterval: ({ state }) => (state.data?.data.length ? false : REFETCH_INTERVAL_MS),
  });
  const isUnknown = [keys, balance, topups, calls].some(({ isLoadingError }) => isLoadingError);
  if (!keys.data || !balance.data || !topups.data || !calls.data) return { isUnknown };
  const progress = {
    hasKey: keys.data.data.length > 0,
    hasMoney: balance.data.balance > 0 || topups.data.data.some(({ status }) => status === 'cleared'),
    hasCalled: calls.data.data.length > 0,
  };
  return { progress, isUnknown };
}
