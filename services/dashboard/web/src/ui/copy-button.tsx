import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { Check, Copy } from 'lucide-react';

interface CopyButtonProps {
  value: string;
  /** Names what is copied, for screen readers and the tooltip: `Copy key`. */
  label?: string;
  /** A button with a visible label. */
  wide?: boolean;
}

export function CopyButton({ value, label = 'Copy', wide = false }: CopyButtonProps) {
  const clipboard = useClipboard({ timeout: 2_000 });
  const status = clipboard.error ? 'Could not copy' : clipboard.copied ? 'Copied' : label;
  const icon = clipboard.copied ? <Check size={16} aria-hidden /> : <Copy size={16} aria-hidden />;
  const copy = () => clipboard.copy(value);
  if (wide) {
    return (
      <Button variant="default" size="xs" leftSection={icon} onClick={copy}>
        {status}
      </Button>
    );
  }
  return (
    <Tooltip label={status} withArrow>
      <ActionIcon
        variant="subtle"
        color={clipboard.copied ? 'teal' : 'gray'}
        aria-label={status}
        onClick={copy}
      >
        {icon}
      </ActionIcon>
    </Tooltip>
  );
}
