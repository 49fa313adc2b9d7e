import { Badge } from '@mantine/core';

const COLORS: Readonly<Record<string, string>> = {
  active: 'teal',
  enabled: 'teal',
  cleared: 'teal',
  up: 'teal',
  closed: 'teal',
  pending: 'orange',
  cooling: 'orange',
  'half-open': 'orange',
  simulator: 'indigo',
  suspect: 'orange',
  suspended: 'red',
  revoked: 'red',
  open: 'red',
  away: 'red',
};

/** A status of the API; inactive ones are grey. */
export function StatusBadge({ status, children }: { status: string; children?: string }) {
  const color = COLORS[status] ?? 'gray';
  return (
    <Badge color={color} variant="light" radius="sm" tt="none" miw="max-content" style={{ flex: 'none' }}>
      {children ?? `${status.charAt(0).toUpperCase()}${status.slice(1).replaceAll('_', ' ')}`}
    </Badge>
  );
}
