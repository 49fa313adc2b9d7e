import { Text } from '@mantine/core';
import type { AuditEntry } from '../api/audit';

/** Shows how a change ended if it was not made. */
export function AuditOutcome({ outcome, error_code: code }: Pick<AuditEntry, 'outcome' | 'error_code'>) {
  if (outcome === 'done') return null;
  const isRefused = outcome === 'refused';
  return (
    <Text
      size="xs"
      c="var(--mantine-color-error)"
      title={isRefused ? 'Nothing was changed' : 'Check whether the change was made'}
      style={{ overflowWrap: 'anywhere' }}
    >
      {isRefused ? `Refused${code ? `: ${code}` : ''}` : 'Outcome unknown'}
    </Text>
  );
}
