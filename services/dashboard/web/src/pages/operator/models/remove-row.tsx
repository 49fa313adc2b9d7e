import { ActionIcon, Box, Group, Tooltip } from '@mantine/core';
import { Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';

interface RemoveRowProps {
  /** `Remove price 2`. */
  label: string;
  onRemove: () => void;
  children: ReactNode;
}

/** Fields of one row of a form, and a button that removes the row. */
export function RemoveRow({ label, onRemove, children }: RemoveRowProps) {
  return (
    <Group wrap="nowrap" align="flex-start" gap="xs">
      <Box flex={1} miw={0}>
        {children}
      </Box>
      <Tooltip label={label} withArrow>
        {/* Beside the fields, below their labels. */}
        <ActionIcon variant="subtle" color="gray" mt={29} onClick={onRemove} aria-label={label}>
          <Trash2 size={16} aria-hidden />
        </ActionIcon>
      </Tooltip>
    </Group>
  );
}
