import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';

/** The HTTP status, or words in its colour, which is only a help. */
export function HttpStatus({ status, children }: { status: number; children?: ReactNode }) {
  const color = status >= 500 ? 'red' : status >= 400 ? 'orange' : 'teal';
  return (
    <Badge color={color} variant="light" radius="sm" tt="none" style={{ flex: 'none' }}>
      {children ?? status}
    </Badge>
  );
}
