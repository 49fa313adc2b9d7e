import { Code, Text } from '@mantine/core';
import { useApiUrl } from '../api/use-api-url';
import { useMe } from '../api/use-me';

/** Shown below a snippet whose address may be wrong. */
export function ApiUrlNote() {
  const { apiUrl, isGuess } = useApiUrl();
  const { operator } = useMe();
  if (!isGuess) return null;
  return (
    <Text size="xs" c="dimmed" mt={6}>
      <Code>{apiUrl}</Code> is a guess: the public address of this API is not configured.{' '}
      {operator ? (
        <>
          Set <Code>PUBLIC_API_URL</Code> to fix this.
        </>
      ) : (
        'Ask its operator for the address.'
      )}
    </Text>
  );
}
