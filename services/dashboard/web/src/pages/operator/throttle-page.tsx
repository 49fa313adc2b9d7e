import { Alert, Button, Group, Paper, Skeleton, Stack, Text, TextInput, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Info } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { getThrottle, setThrottle } from '../../api/admin-throttle';
import { ConfirmDialog } from '../../ui/confirm-dialog';
import { ErrorState } from '../../ui/error-state';
import { fieldError } from '../../ui/field-error';
import { formatCount } from '../../ui/format-count';
import { PageHeader } from '../../ui/page-header';

const MAX_REQUESTS = 1_000_000;
/** An open dashboard makes a few requests itself; a lower throttle would affect operators. */
const FEW_REQUESTS = 20;

/** The limit on all requests per second. */
export function ThrottlePage() {
  const throttle = useQuery({ queryKey: ['admin', 'throttle'], queryFn: getThrottle });
  const current = throttle.data?.requests_per_second;
  return (
    <>
      <PageHeader title="Throttle" description="Limits the requests of the whole gateway" />
      <Stack maw={640}>
        {throttle.error && !throttle.data ? (
          <ErrorState error={throttle.error} onRetry={() => void throttle.refetch()} />
        ) : (
          <Paper withBorder p="lg">
            <Title order={2} size="h5" mb={4}>
              Now
            </Title>
            <Text component="div" size="xl" fw={650} mih={31}>
              {current === undefined ? (
                <Skeleton h={24} w={200} />
              ) : current === null ? (
                'No throttle'
              ) : (
                `${formatCount(current)} ${current === 1 ? 'request' : 'requests'} per second`
              )}
            </Text>
            <Text size="sm" c="dimmed" mb="md" mih={22}>
              {current === null && 'All requests are accepted.'}
              {current != null && 'Requests above it return rate_limited.'}
            </Text>
            <ThrottleForm current={current} />
          </Paper>
        )}
        <Explanation />
      </Stack>
    </>
  );
}

function ThrottleForm({ current }: { current: number | null | undefined }) {
  const [text, setText] = useState('');
  const [isSubmitted, setSubmitted] = useState(false);
  const [lifts, lift] = useDisclosure();
  const queryClient = useQueryClient();
  const taken = (answer: Awaited<ReturnType<typeof getThrottle>>) =>
    queryClient.setQueryData(['admin', 'throttle'], answer);
  const setting = useMutation({
    mutationFn: setThrottle,
    onSuccess: (answer) => {
      taken(answer);
      setText('');
      notifications.show({ message: 'Throttle set.' });
    },
  });
  const requested = parseRequests(text);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setSubmitted(requested === undefined);
    if (requested !== undefined) setting.mutate(requested);
  };
  const refusal = fieldError(setting.error, 'requests_per_second');
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <TextInput
          label="Requests per second"
          description="For all clients of API and dashboard together"
          placeholder={current == null ? '1,000' : formatCount(current)}
          inputMode="numeric"
          autoComplete="off"
          maw={340}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          error={
            isSubmitted && requested === undefined
              ? `Enter a whole number from 1 to ${formatCount(MAX_REQUESTS)}.`
              : refusal
          }
        />
        {requested !== undefined && requested < FEW_REQUESTS && (
          <Alert color="orange" variant="light" icon={<Info size={18} aria-hidden />}>
            This is a low limit. Dashboard pages count too, so removing it may be slow.
          </Alert>
        )}
        {setting.error && !refusal && <ErrorState error={setting.error} title="Throttle not changed" />}
        <Group>
          <Button type="submit" loading={setting.isPending} disabled={current === undefined}>
            Set throttle
          </Button>
          {current != null && (
            <Button variant="default" onClick={lift.open}>
              Remove throttle
            </Button>
          )}
        </Group>
      </Stack>
      <ConfirmDialog
        opened={lifts}
        onClose={lift.close}
        title="Remove the throttle?"
        confirm="Remove throttle"
        action={() => setThrottle(null)}
        onDone={(answer) => {
          taken(answer);
          notifications.show({ message: 'Throttle removed.' });
        }}
      >
        <Text size="sm">
          All requests are accepted again. Limits of keys, accounts and providers still apply.
        </Text>
      </ConfirmDialog>
    </form>
  );
}

function Explanation() {
  return (
    <Paper withBorder p="lg">
      <Title order={2} size="h5" mb="xs">
        How it works
      </Title>
      <Stack gap="xs">
        <Text size="sm">
          The throttle counts all requests to the API and the dashboard over all instances. Requests above it
          are rejected first: they cost nothing and don’t count against the limits of their key. The response
          says when to retry.
        </Text>
        <Text size="sm">
          Use it when a dependency can’t keep up. Changes apply within seconds. To slow down a single client,
          use the limits of its key instead.
        </Text>
      </Stack>
    </Paper>
  );
}

function parseRequests(text: string): number | undefined {
  const digits = text.trim().replaceAll(',', '');
  const count = /^\d{1,7}$/.test(digits) ? Number(digits) : 0;
  return count >= 1 && count <= MAX_REQUESTS ? count : undefined;
}
