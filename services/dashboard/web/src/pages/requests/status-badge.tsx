import { Badge } from '@mantine/core';

/** The HTTP status; its colour is only a help. */
export function StatusBadge({ status }: { status: number }) {
  const color = status >= 500 ? 'red' : status >= 400 ? 'orange' : 'teal';
  return (
    <Badge color={color} variant="light" radius="sm" tt="none">
      {status}
    </Badge>
  );
}
