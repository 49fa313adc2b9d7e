import { Box, Button, Group, Modal, Stack, Text, Title } from '@mantine/core';
import type { NewApiKey } from '../../api/keys';
import { useApiUrl } from '../../api/use-api-url';
import { ApiUrlNote } from '../../ui/api-url-note';
import { CodeBlock } from '../../ui/code-block';
import { SecretNotice } from '../../ui/secret-notice';
import { firstCall } from './first-call';
import { useCatalog } from './use-catalog';

interface KeyValueDialogProps {
  /** Undefined: closed. */
  made: NewApiKey | undefined;
  onClose: () => void;
}

/** Shows a key's new value once; only the button closes it. */
export function KeyValueDialog({ made, onClose }: KeyValueDialogProps) {
  return (
    <Modal
      opened={made !== undefined}
      onClose={onClose}
      title={made ? `Value of ${made.name}` : ''}
      size="lg"
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      {made && (
        <Stack>
          <SecretNotice title="Copy this value now" value={made.key} copyLabel="Copy key" />
          <Text size="sm">
            Treat it like a password: anyone who has it can spend from this account. If it is lost or leaked,
            rotate or regenerate the key.
          </Text>
          <FirstCall made={made} />
          <Group justify="flex-end">
            <Button onClick={onClose}>Done</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}

function FirstCall({ made }: { made: NewApiKey }) {
  const { apiUrl } = useApiUrl();
  const catalog = useCatalog();
  const code = catalog.data && firstCall(apiUrl, made, catalog.data);
  if (!code) return null;
  return (
    <Box miw={0}>
      <Title order={3} size="h6" mb="xs">
        Try it
      </Title>
      <CodeBlock code={code} label="curl" />
      <ApiUrlNote />
    </Box>
  );
}
