import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import type { NewMember } from '../api/members';
import { ErrorState } from './error-state';
import { SecretNotice } from './secret-notice';

interface NewPasswordDialogProps {
  /** The member whose password is reset; undefined: closed. */
  member: { readonly id: string; readonly name: string; readonly email: string } | undefined;
  renew: (id: string) => Promise<NewMember>;
  onClose: () => void;
}

/**
 * Confirms the reset and shows the new password. Then only the button closes the dialog, so that the password is not
 * lost by a click outside.
 */
export function NewPasswordDialog({ member, renew, onClose }: NewPasswordDialogProps) {
  // Keeps its member while it fades out.
  const about = useRef(member);
  if (member) about.current = member;
  const queryClient = useQueryClient();
  const renewal = useMutation({
    mutationFn: renew,
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['admin'] }),
  });
  const { error, isPending } = renewal;
  const { id = '', name = '', email = '' } = about.current ?? {};
  // Not the previous password, whose dialog may still be fading out.
  const made = renewal.data?.id === id ? renewal.data : undefined;
  const mayClose = !made && !isPending;
  return (
    <Modal
      opened={member !== undefined}
      onClose={onClose}
      onExitTransitionEnd={renewal.reset}
      title={made ? `New password for ${name}` : `A new password for ${name}?`}
      closeOnClickOutside={mayClose}
      closeOnEscape={mayClose}
      withCloseButton={mayClose}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack>
        {made ? (
          <>
            <SecretNotice
              title={`New password for ${made.email}`}
              value={made.password}
              copyLabel="Copy password"
            />
            <Text size="sm">
              Share it securely: no email is sent. They should change it after logging in, under “Profile”.
            </Text>
          </>
        ) : (
          <Text size="sm">
            For a member who lost their password. The old password of {email} stops working and all their
            sessions end. The new password is shown once.
          </Text>
        )}
        {error && <ErrorState error={error} title="Password not reset" />}
        <Group justify="flex-end">
          {made ? (
            <Button onClick={onClose}>Done</Button>
          ) : (
            <>
              {/* The harmless one has the focus, so that a stray Enter does nothing. */}
              <Button variant="default" onClick={onClose} disabled={isPending} data-autofocus>
                Cancel
              </Button>
              <Button loading={isPending} onClick={() => renewal.mutate(id)}>
                Reset password
              </Button>
            </>
          )}
        </Group>
      </Stack>
    </Modal>
  );
}
