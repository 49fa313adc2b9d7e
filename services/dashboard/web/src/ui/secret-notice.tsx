import { Alert, Code, Group, Text } from '@mantine/core';
import { KeyRound } from 'lucide-react';
import { CopyButton } from './copy-button';

interface SecretNoticeProps {
  /** `Initial password for ada@example.com`. */
  title: string;
  value: string;
  /** `Copy password`. */
  copyLabel: string;
}

/** A value that is shown once. */
export function SecretNotice({ title, value, copyLabel }: SecretNoticeProps) {
  return (
    <Alert color="orange" variant="light" title={title} icon={<KeyRound size={18} aria-hidden />}>
      <Group gap="xs" my={4} align="center">
        <Code fz="sm" style={{ overflowWrap: 'anywhere' }}>
          {value}
        </Code>
        <CopyButton value={value} label={copyLabel} wide />
      </Group>
      <Text size="sm">This is shown only once: copy it now.</Text>
    </Alert>
  );
}
