import { Grid, Stack } from '@mantine/core';
import { PageHeader } from '../../ui/page-header';
import { AccountLimits } from './account-limits';
import { BalanceCard } from './balance-card';
import { MoneyLists } from './money-lists';

export function BillingPage() {
  return (
    <>
      <PageHeader title="Billing" description="Balance, limits and ledger of the account" />
      <Stack>
        <Grid gap="md">
          <Grid.Col span={{ base: 12, md: 6 }}>
            <BalanceCard />
          </Grid.Col>
          <Grid.Col span={{ base: 12, md: 6 }}>
            <AccountLimits />
          </Grid.Col>
        </Grid>
        <MoneyLists />
      </Stack>
    </>
  );
}
