import { Box, Group, Paper, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

interface SectionProps {
  title: string;
  description?: ReactNode;
  /** A link or a button, on the right. */
  action?: ReactNode;
  children: ReactNode;
}

/** A framed part of a page with an h2. */
export function Section({ title, description, action, children }: SectionProps) {
  return (
    <Paper component="section" withBorder p="md" miw={0} h="100%">
      <Group justify="space-between" align="flex-start" wrap="nowrap" mb="md" gap="sm">
        <div>
          <Title order={2} size="h5">
            {title}
          </Title>
          {description && (
            <Text component="div" size="sm" c="dimmed" mt={2}>
              {description}
            </Text>
          )}
        </div>
        {action && <Box style={{ flex: 'none' }}>{action}</Box>}
      </Group>
      {children}
    </Paper>
  );
}
