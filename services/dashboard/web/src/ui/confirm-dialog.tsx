import { Button, Group, Modal, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useRef } from 'react';
import { ErrorState } from './error-state';

export interface ConfirmDialogProps<T> {
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
  action: () => Promise<T>;
  /** After it went well; the dialog closes by itself. */
  onDone?: (answer: T) => void;
}

/** Asks before something is done, does it, and stays open with the reason if that fails. */
export function ConfirmDialog<T>(props: ConfirmDialogProps<T>) {
  const { opened, onClose } = props;
  // While it fades out it asks what it has asked, though what was done has changed the question.
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
      {doing.error && <ErrorState error={doing.error} title="Not done" />}
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
