import { Group } from '@mantine/core';
import type { Topup } from '../../../api/billing';
import { ClearTopup } from './clear-topup';
import { VoidTopup } from './void-topup';

/** Actions on a pending top-up. */
export function PendingTopupActions({ topup }: { topup: Topup }) {
  return (
    <Group gap="xs" justify="flex-end" wrap="nowrap">
      <ClearTopup topup={topup} />
      <VoidTopup topup={topup} />
    </Group>
  );
}
