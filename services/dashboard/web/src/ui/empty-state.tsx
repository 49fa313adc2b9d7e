import { Stack, Text } from '@mantine/core';
import { Inbox, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';

interface EmptyStateProps {
  title: string;
  /** What to do. */
  children?: ReactNode;
  action?: ReactNode;
  icon?: LucideIcon;
}

/** Shown in place of an empty list, with what to do about it. */
export function EmptyState({ title, children, action, icon: Icon = Inbox }: EmptyStateProps) {
  return (
    <Stack align="center" gap="xs" py="xl" px="md" ta="center">
      <Icon size={32} strokeWidth={1.5} aria-hidden opacity={0.6} />
      <Text fw={600}>{title}</Text>
      {children && (
        <Text c="dimmed" size="sm" maw={420} style={{ textWrap: 'balance' }}>
          {children}
        </Text>
      )}
      {action}
    </Stack>
  );
}
