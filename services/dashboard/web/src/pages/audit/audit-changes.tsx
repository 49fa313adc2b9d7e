import { Text } from '@mantine/core';
import { readChanges } from './read-changes';

export function AuditChanges({ changes }: { changes: unknown }) {
  const read = readChanges(changes);
  if (read.length === 0) {
    return (
      <Text span size="sm" c="dimmed">
        –
      </Text>
    );
  }
  return (
    <div>
      {read.map(({ name, value }) => (
        <Text key={name} size="sm" style={{ overflowWrap: 'anywhere' }}>
          <Text span inherit c="dimmed">
            {name}:
          </Text>{' '}
          {value}
        </Text>
      ))}
    </div>
  );
}
