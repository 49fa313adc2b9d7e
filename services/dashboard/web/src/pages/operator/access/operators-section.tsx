import { Badge, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import {
  type AddedOperator,
  addOperator,
  listOperators,
  type Operator,
  removeOperator,
} from '../../../api/admin-access';
import { meQuery, useMe } from '../../../api/use-me';
import { ConfirmDialog } from '../../../ui/confirm-dialog';
import { ErrorState } from '../../../ui/error-state';
import { fieldError } from '../../../ui/field-error';
import { SecretNotice } from '../../../ui/secret-notice';
import { Section } from '../../../ui/section';

const QUERY_KEY = ['admin', 'operators'];

export function OperatorsSection() {
  const { data, error, refetch } = useQuery({ queryKey: QUERY_KEY, queryFn: listOperators });
  const able = data?.filter((operator) => !operator.must_change_password);
  const [added, setAdded] = useState<AddedOperator>();
  const [removed, setRemoved] = useState<Operator>();
  return (
    <Section title="Operators">
      <Text size="sm" c="dimmed" mb="md">
        Operators manage accounts, providers, models and prices. The last one who has changed the initial
        password can’t be removed.
      </Text>
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      <Stack gap="sm" mb="lg">
        {data?.map((operator) => (
          <OperatorRow
            key={operator.id}
            operator={operator}
            isLast={!operator.must_change_password && able?.length === 1}
            onRemove={() => setRemoved(operator)}
          />
        ))}
      </Stack>
      <AddOperator onAdded={setAdded} />
      <RemoveOperator operator={removed} onClose={() => setRemoved(undefined)} />
      <Modal
        opened={added !== undefined}
        onClose={() => setAdded(undefined)}
        title={added ? `${added.email} is an operator` : ''}
        withCloseButton={false}
        closeOnClickOutside={false}
        closeOnEscape={false}
      >
        <Stack>
          <SecretNotice
            title={`Initial password for ${added?.email ?? ''}`}
            value={added?.password ?? ''}
            copyLabel="Copy password"
          />
          <Text size="sm">Share it securely. They choose their own when they log in.</Text>
          <Group justify="flex-end">
            <Button onClick={() => setAdded(undefined)}>Done</Button>
          </Group>
        </Stack>
      </Modal>
    </Section>
  );
}

interface OperatorRowProps {
  operator: Operator;
  isLast: boolean;
  onRemove: () => void;
}

function OperatorRow({ operator, isLast, onRemove }: OperatorRowProps) {
  const { user } = useMe();
  return (
    <Group justify="space-between" wrap="nowrap">
      <div style={{ minWidth: 0 }}>
        <Text component="div" size="sm" fw={500} style={{ overflowWrap: 'anywhere' }}>
          {operator.name}
          {operator.id === user.id && (
            <Badge size="xs" variant="default" ml="xs">
              you
            </Badge>
          )}
        </Text>
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {operator.email}
          {operator.must_change_password && ' · has not logged in with a password of their own yet'}
        </Text>
      </div>
      <Button
        variant="default"
        size="xs"
        disabled={isLast}
        aria-label={`Remove ${operator.email}`}
        onClick={onRemove}
      >
        Remove
      </Button>
    </Group>
  );
}

function AddOperator({ onAdded }: { onAdded: (added: AddedOperator) => void }) {
  const queryClient = useQueryClient();
  const [email, setEmail] = useState('');
  const adding = useMutation({
    mutationFn: () => addOperator({ email }),
    onSuccess: (added) => {
      setEmail('');
      onAdded(added);
      void queryClient.invalidateQueries({ queryKey: QUERY_KEY });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    adding.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="xs">
        <TextInput
          label="Add an operator"
          description="A new user, who gets an account and an initial password"
          placeholder="Email"
          type="email"
          required
          maw={420}
          autoComplete="off"
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          error={fieldError(adding.error, 'email')}
        />
        {adding.error && !fieldError(adding.error, 'email') && (
          <ErrorState error={adding.error} title="Operator not added" />
        )}
        <Group>
          <Button type="submit" size="xs" loading={adding.isPending}>
            Add operator
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function RemoveOperator({ operator, onClose }: { operator: Operator | undefined; onClose: () => void }) {
  const queryClient = useQueryClient();
  const { user } = useMe();
  const done = (removed: Operator) => {
    notifications.show({ message: `${removed.email} is no longer an operator.` });
    void queryClient.invalidateQueries({ queryKey: QUERY_KEY });
    if (removed.id === user.id) void queryClient.invalidateQueries(meQuery);
  };
  return (
    <ConfirmDialog
      opened={operator !== undefined}
      onClose={onClose}
      title={operator ? `Remove ${operator.name} as an operator?` : ''}
      confirm="Remove"
      dangerous
      action={() => removeOperator(operator?.id ?? '')}
      onDone={done}
    >
      <Text size="sm">
        {operator?.email} can’t use the operator pages any more, from the next request, and keeps their
        account.
      </Text>
    </ConfirmDialog>
  );
}
