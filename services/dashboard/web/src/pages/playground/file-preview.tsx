import { ActionIcon, Text, Tooltip } from '@mantine/core';
import { X } from 'lucide-react';
import { type ChosenFile, formatBytes } from './chosen-file';
import classes from './file-field.module.css';

interface FilePreviewProps {
  chosen: ChosenFile;
  disabled?: boolean | undefined;
  onRemove: () => void;
}

/** Preview of a file to be sent. */
export function FilePreview({ chosen: { file, src }, disabled = false, onRemove }: FilePreviewProps) {
  return (
    <figure className={classes.picture}>
      <img src={src} alt={file.name} className={classes.thumb} />
      <Tooltip label="Remove" withArrow>
        <ActionIcon
          className={classes.remove}
          variant="default"
          size="sm"
          radius="xl"
          aria-label={`Remove ${file.name}`}
          disabled={disabled}
          onClick={onRemove}
        >
          <X size={14} aria-hidden />
        </ActionIcon>
      </Tooltip>
      <figcaption>
        <Text size="xs" truncate title={file.name}>
          {file.name}
        </Text>
        <Text size="xs" c="dimmed">
          {formatBytes(file.size)}
        </Text>
      </figcaption>
    </figure>
  );
}
