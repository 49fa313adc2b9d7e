import { SegmentedControl, SimpleGrid, Stack } from '@mantine/core';
import { useState } from 'react';
import { PageHeader } from '../../ui/page-header';
import { BalanceCards } from './balance-cards';
import { FirstSteps } from './first-steps';
import { RecentFailures } from './recent-failures';
import { TopKeys } from './top-keys';
import { TopModels } from './top-models';
import { UsageCharts } from './usage-charts';

const RANGES = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
];

export function OverviewPage() {
  const [range, setRange] = useState('30');
  const days = Number(range);
  return (
    <>
      <PageHeader
        title="Overview"
        description="What your account spends and does, by UTC day"
        actions={
          <SegmentedControl aria-label="Period" data={RANGES} value={range} onChange={setRange} size="xs" />
        }
      />
      <Stack>
        <FirstSteps />
        <BalanceCards />
        <UsageCharts days={days} />
        <SimpleGrid cols={{ base: 1, md: 2 }}>
          <TopModels days={days} />
          <TopKeys days={days} />
        </SimpleGrid>
        <RecentFailures />
      </Stack>
    </>
  );
}
