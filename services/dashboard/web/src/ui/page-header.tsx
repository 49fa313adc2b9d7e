import { Box, Group, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';

interface PageHeaderProps {
  title: string;
  /** One sentence. */
  description?: ReactNode;
  /** Buttons, on the right; below on phones. */
  actions?: ReactNode;
}

/** The only h1 of a page; also sets the title of the browser tab. */
export function PageHeader({ title, description, actions }: PageHeaderProps) {
  useEffect(() => {
    document.title = `${title} · Model Gateway`;
  }, [title]);
  return (
    <Group justify="space-between" align="flex-start" gap="sm" mb="lg">
      <Box flex="1 1 280px" miw={0}>
        <Title order={1} size="h2" style={{ overflowWrap: 'anywhere' }}>
          {title}
        </Title>
        {description && (
          <Text c="dimmed" size="sm" mt={4}>
            {description}
          </Text>
        )}
      </Box>
      {actions && <Group gap="xs">{actions}</Group>}
    </Group>
  );
}
