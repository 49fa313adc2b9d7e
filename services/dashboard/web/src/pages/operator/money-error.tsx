import { Stack, Text } from '@mantine/core';
import { mayBeDone } from '../../api/api-error';
import { ErrorState } from '../../ui/error-state';

/** Why money was not moved, or that nobody can say whether it was. */
export function MoneyError({ error, title }: { error: Error; title: string }) {
  const isUnknown = mayBeDone(error);
  return (
    <Stack gap="xs">
      <ErrorState error={error} title={isUnknown ? 'This may have been done or not' : title} />
      {isUnknown && (
        <Text size="sm">Try again with the same figures: if it was done already, it is not done twice.</Text>
      )}
    </Stack>
  );
}
