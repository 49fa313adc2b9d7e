import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';

/** The HTTP status, or a label, in a color. Null: in progress. */
export function HttpStatus({ status, children }: { status: number | null; children?: ReactNode }) {
  if (status === null) return <StatusBadge color="indigo">In progress</StatusBadge>;
  const color = status >= 500 ? 'red' : status >= 400 ? 'orange' : 'teal';
  return <StatusBadge color={color}>{children ?? status}</StatusBadge>;
}

function StatusBadge({ color, children }: { color: string; children: ReactNode }) {
  return (
    <Badge color={color} variant="light" radius="sm" tt="none" style={{ flex: 'none' }}>
      {children}
    </Badge>
  );
}
