import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ConfirmDialog, type ConfirmDialogProps } from './confirm-dialog';

interface ConfirmButtonProps<T> extends Omit<ConfirmDialogProps<T>, 'opened' | 'onClose' | 'onDone'> {
  label: string;
  /** Complete label for screen readers, where the context explains the button: `Void top-up of $5`. */
  fullLabel?: string;
  icon?: ReactNode;
  /** Small, for a row of a list. */
  inRow?: boolean;
  /** Called on success. */
  done: string;
  onDone?: () => void;
}

/** A button with a confirmation dialog; refetches the whole page afterwards. */
export function ConfirmButton<T>(props: ConfirmButtonProps<T>) {
  const { label, fullLabel, icon, inRow = false, done, onDone, ...question } = props;
  const [opened, { open, close }] = useDisclosure();
  const queryClient = useQueryClient();
  const isQuiet = inRow && question.dangerous;
  return (
    <>
      <Button
        {...(inRow && { size: 'compact-sm' })}
        {...(isQuiet
          ? { variant: 'subtle', color: 'red', c: 'var(--mantine-color-error)' }
          : { variant: 'default' })}
        {...(icon && { leftSection: icon })}
        {...(fullLabel && { 'aria-label': fullLabel })}
        onClick={open}
      >
        {label}
      </Button>
      <ConfirmDialog
        {...question}
        opened={opened}
        onClose={close}
        onDone={() => {
          notifications.show({ message: done });
          void queryClient.invalidateQueries();
          onDone?.();
        }}
      />
    </>
  );
}
