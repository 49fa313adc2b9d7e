import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import type { NewMember } from '../../api/members';
import { SecretNotice } from '../../ui/secret-notice';

interface FirstPasswordDialogProps {
  /** Undefined: closed. */
  added: NewMember | undefined;
  onClose: () => void;
}

/** The gateway sends no mail: the owner hands over the initial password. Only the button closes the dialog. */
export function FirstPasswordDialog({ added, onClose }: FirstPasswordDialogProps) {
  return (
    <Modal
      opened={added !== undefined}
      onClose={onClose}
      title={added ? `${added.name} is added` : ''}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      {added && (
        <Stack>
          <SecretNotice
            title={`Initial password for ${added.email}`}
            value={added.password}
            copyLabel="Copy password"
          />
          <Text size="sm">
            Share it securely: no email is sent. They log in with it at {window.location.origin}/login and
            choose their own then.
          </Text>
          <Group justify="flex-end">
            <Button onClick={onClose}>Done</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
