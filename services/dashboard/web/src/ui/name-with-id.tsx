import { Code, Text } from '@mantine/core';

/** An id below the name that users gave it. */
export function NameWithId({ reference, note }: { reference: string; note: string | null }) {
  return (
    <div>
      {note !== null && (
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {note}
        </Text>
      )}
      <Code style={{ overflowWrap: 'anywhere' }}>{reference}</Code>
    </div>
  );
}
