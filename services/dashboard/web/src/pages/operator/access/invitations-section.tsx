import { Anchor, Button, Group, NumberInput, Stack, Table, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Link } from 'react-router';
import {
  createInvitation,
  type Invitation,
  listInvitations,
  type NewInvitation,
  revokeInvitation,
} from '../../../api/admin-access';
import { ErrorState } from '../../../ui/error-state';
import { fieldError } from '../../../ui/field-error';
import { SecretNotice } from '../../../ui/secret-notice';
import { Section } from '../../../ui/section';
import { Time } from '../../../ui/time';

const QUERY_KEY = ['admin', 'invitations'];
const DEFAULT_DAYS = 7;
const MAX_DAYS = 365;

export function InvitationsSection() {
  const { data, error, refetch } = useQuery({ queryKey: QUERY_KEY, queryFn: listInvitations });
  const [made, setMade] = useState<NewInvitation>();
  return (
    <Section title="Invitations">
      <Text size="sm" c="dimmed" mb="md">
        Each lets one person register an account. They are required with the setting REGISTRATION=invite.
      </Text>
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      <NewInvitationForm onCreated={setMade} />
      {made && (
        <Stack mt="md">
          <SecretNotice
            title={`Link for ${made.email ?? 'anyone who receives it'}`}
            value={`${window.location.origin}/sign-up?invitation=${made.code}`}
            copyLabel="Copy link"
          />
        </Stack>
      )}
      {data && data.length > 0 && <Invitations rows={data} />}
    </Section>
  );
}

function NewInvitationForm({ onCreated }: { onCreated: (made: NewInvitation) => void }) {
  const queryClient = useQueryClient();
  const [email, setEmail] = useState('');
  const [days, setDays] = useState<number | string>(DEFAULT_DAYS);
  const creation = useMutation({
    mutationFn: () => createInvitation({ ...(email && { email }), expires_in_days: Number(days) }),
    onSuccess: (made) => {
      setEmail('');
      onCreated(made);
      void queryClient.invalidateQueries({ queryKey: QUERY_KEY });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    creation.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Group align="flex-end">
        <TextInput
          label="Email"
          placeholder="Any email"
          type="email"
          w={280}
          autoComplete="off"
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          error={fieldError(creation.error, 'email')}
        />
        <NumberInput
          label="Expires in days"
          min={1}
          max={MAX_DAYS}
          allowDecimal={false}
          required
          w={140}
          value={days}
          onChange={setDays}
        />
        <Button type="submit" loading={creation.isPending}>
          Create invitation
        </Button>
      </Group>
      {creation.error && !fieldError(creation.error, 'email') && (
        <ErrorState error={creation.error} title="Invitation not created" />
      )}
    </form>
  );
}

function Invitations({ rows }: { rows: readonly Invitation[] }) {
  return (
    <Table.ScrollContainer minWidth={520} mt="md">
      <Table aria-label="Invitations">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>For</Table.Th>
            <Table.Th>Status</Table.Th>
            <Table.Th>Expires</Table.Th>
            <Table.Th aria-label="Actions" />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((invitation) => (
            <InvitationRow key={invitation.id} invitation={invitation} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

const STATUS = { open: 'Open', used: 'Used', expired: 'Expired', revoked: 'Revoked' } as const;

function InvitationRow({ invitation }: { invitation: Invitation }) {
  const { id, email, status, expires_at, registered_account_id: account } = invitation;
  const queryClient = useQueryClient();
  const revoking = useMutation({
    mutationFn: () => revokeInvitation(id),
    onSuccess: () => void queryClient.invalidateQueries({ queryKey: QUERY_KEY }),
  });
  return (
    <Table.Tr>
      <Table.Td style={{ overflowWrap: 'anywhere' }}>{email ?? 'Any email'}</Table.Td>
      <Table.Td>
        {account ? (
          <Anchor component={Link} to={`/operator/accounts/${account}`} size="sm">
            {STATUS[status]}
          </Anchor>
        ) : (
          STATUS[status]
        )}
      </Table.Td>
      <Table.Td>
        <Time at={expires_at} relative />
      </Table.Td>
      <Table.Td ta="right">
        {status === 'open' && (
          <Button variant="default" size="xs" loading={revoking.isPending} onClick={() => revoking.mutate()}>
            Revoke
          </Button>
        )}
      </Table.Td>
    </Table.Tr>
  );
}
