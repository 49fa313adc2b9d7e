import { SegmentedControl, SimpleGrid, Skeleton, Stack } from '@mantine/core';
import { useState } from 'react';
import { PageHeader } from '../../ui/page-header';
import { BalanceCards } from './balance-cards';
import { FirstSteps } from './first-steps';
import { RecentFailures } from './recent-failures';
import { TopKeys } from './top-keys';
import { TopModels } from './top-models';
import { UsageCharts } from './usage-charts';
import { useFirstSteps } from './use-first-steps';

const RANGES = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
];

/** More than a window's height. */
const HEIGHT_PX = 1_200;

export function OverviewPage() {
  const [range, setRange] = useState('30');
  const days = Number(range);
  const steps = useFirstSteps();
  // Charts are empty before the first request.
  const hasCalled = steps === 'done' || (steps !== 'unknown' && steps.hasCalled);
  return (
    <>
      <PageHeader
        title="Overview"
        description="Spend and usage of your account, by UTC day"
        actions={
          <SegmentedControl
            aria-label="Period"
            data={RANGES}
            value={range}
            onChange={setRange}
            size="xs"
            disabled={steps !== 'unknown' && !hasCalled}
          />
        }
      />
      {steps === 'unknown' ? (
        <Skeleton height={HEIGHT_PX} />
      ) : (
        <Stack>
          {steps !== 'done' && <FirstSteps progress={steps} />}
          <BalanceCards days={days} />
          {hasCalled && (
            <>
              <UsageCharts days={days} />
              <SimpleGrid cols={{ base: 1, md: 2 }}>
                <TopModels days={days} />
                <TopKeys days={days} />
              </SimpleGrid>
            </>
          )}
          <RecentFailures />
        </Stack>
      )}
    </>
  );
}
