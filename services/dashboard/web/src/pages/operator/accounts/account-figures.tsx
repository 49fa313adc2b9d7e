import { Alert, Paper, SimpleGrid, Text } from '@mantine/core';
import { Ban } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Account } from '../../../api/admin-accounts';
import { Money } from '../../../ui/money';

/** The insufficient-funds policy. */
const WHEN_SHORT = {
  lower: 'Insufficient funds: shorten replies',
  refuse: 'Insufficient funds: reject requests',
};

/** Balance, available funds and limits of an account. */
export function AccountFigures({ account }: { account: Account }) {
  return (
    <>
      {account.status === 'suspended' && (
        <Alert color="red" variant="light" icon={<Ban size={18} aria-hidden />} mb="md" title="Suspended">
          <Text size="sm">Its keys are rejected. Members can still log in and view.</Text>
        </Alert>
      )}
      <SimpleGrid cols={{ base: 2, md: 4 }} spacing={{ base: 'xs', sm: 'md' }}>
        <Figure title="Available" note={account.available <= 0 ? 'Requests are rejected' : 'Can be spent'}>
          <Money usd={account.available} />
        </Figure>
        <Figure title="Balance" note="Includes reserved funds">
          <Money usd={account.balance} />
        </Figure>
        <Figure title="Reserved" note="For in-flight requests">
          <Money usd={account.held} />
        </Figure>
        <Figure title="Daily limit" note={WHEN_SHORT[account.when_short]}>
          {account.daily_limit === null ? 'None' : <Money usd={account.daily_limit} />}
        </Figure>
      </SimpleGrid>
    </>
  );
}

function Figure({ title, note, children }: { title: string; note: ReactNode; children: ReactNode }) {
  return (
    <Paper withBorder p="md">
      <Text size="sm" c="dimmed" fw={500}>
        {title}
      </Text>
      <Text component="div" size="xl" fw={650} mih={31}>
        {children}
      </Text>
      <Text component="div" size="xs" c="dimmed" mih={17}>
        {note}
      </Text>
    </Paper>
  );
}
