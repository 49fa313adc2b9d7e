import { Button, Group, Modal, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useRef } from 'react';
import { ErrorState } from './error-state';

export interface ConfirmDialogProps<T> {
  opened: boolean;
  onClose: () => void;
  /** A question: `Suspend this account?` */
  title: string;
  /** The consequences. */
  children: ReactNode;
  /** Label of the button: `Suspend`. */
  confirm: string;
  /** Red; for harmful or irreversible actions. */
  dangerous?: boolean;
  /** Performs the action; its error is shown in the dialog, where it can be retried. */
  action: () => Promise<T>;
  /** Called on success; the dialog closes itself. */
  onDone?: (answer: T) => void;
}

/** Asks before an action, performs it, and stays open with the error if it fails. */
export function ConfirmDialog<T>(props: ConfirmDialogProps<T>) {
  const { opened, onClose } = props;
  // Keeps its question while it fades out, although the action has changed it.
  const asked = useRef(props);
  if (opened) asked.current = props;
  const { title, ...question } = asked.current;
  return (
    <Modal opened={opened} onClose={onClose} title={title} closeButtonProps={{ 'aria-label': 'Close' }}>
      <Question {...question} onClose={onClose} />
    </Modal>
  );
}

type QuestionProps<T> = Omit<ConfirmDialogProps<T>, 'opened' | 'title'>;

function Question<T>({ onClose, children, confirm, dangerous, action, onDone }: QuestionProps<T>) {
  const doing = useMutation({
    mutationFn: action,
    onSuccess: (answer) => {
      onClose();
      onDone?.(answer);
    },
  });
  return (
    <Stack>
      <div>{children}</div>
      {doing.error && <ErrorState error={doing.error} title="Action failed" />}
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
