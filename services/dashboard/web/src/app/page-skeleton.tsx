import { Skeleton, Stack } from '@mantine/core';

/** Shown while a page's script loads. */
export function PageSkeleton() {
  return (
    <Stack role="status" aria-busy="true" aria-label="Loading">
      <Skeleton height={32} width={220} />
      <Skeleton height={320} mt="md" />
    </Stack>
  );
}
