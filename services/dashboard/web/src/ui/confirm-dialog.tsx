import { Button, Group, Modal, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ErrorState } from './error-state';

interface ConfirmDialogProps {
  opened: boolean;
  onClose: () => void;
  /** A question: `Suspend this account?` */
  title: string;
  /** What follows. */
  children: ReactNode;
  /** What the button does: `Suspend`. */
  confirm: string;
  /** Red; for what hurts or can't be taken back. */
  dangerous?: boolean;
  /** Does it; its failure is shown here, where it can be tried again. */
  action: () => Promise<unknown>;
  /** After it went well; the dialog closes by itself. */
  onDone?: () => void;
}

/** Asks before something is done, does it, and stays open with the reason if that fails. */
export function ConfirmDialog({ opened, onClose, title, ...rest }: ConfirmDialogProps) {
  return (
    <Modal opened={opened} onClose={onClose} title={title} closeButtonProps={{ 'aria-label': 'Close' }}>
      <Question {...rest} onClose={onClose} />
    </Modal>
  );
}

type QuestionProps = Omit<ConfirmDialogProps, 'opened' | 'title'>;

function Question({ onClose, children, confirm, dangerous, action, onDone }: QuestionProps) {
  const doing = useMutation({
    mutationFn: action,
    onSuccess: () => {
      onClose();
      onDone?.();
    },
  });
  return (
    <Stack>
      <div>{children}</div>
      {doing.error && <ErrorState error={doing.error} title="This was not done" />}
      <Group justify="flex-end">
        {/* The harmless one has the focus, so that a stray Enter does nothing. */}
        <Button variant="default" onClick={onClose} data-autofocus>
          Cancel
        </Button>
        <Button
          {...(dangerous && { color: 'red.9' })}
          loading={doing.isPending}
          onClick={() => doing.mutate()}
        >
          {confirm}
        </Button>
      </Group>
    </Stack>
  );
}
