import { Button, FileButton, Group, Input, Text } from '@mantine/core';
import { ImagePlus } from 'lucide-react';
import { type DragEvent, useId, useRef, useState } from 'react';
import type { Purpose } from './chosen-file';
import classes from './file-field.module.css';
import { FilePreview } from './file-preview';
import type { ChosenFiles } from './use-chosen-files';

interface FileFieldProps {
  label: string;
  description: string;
  /** Label of the button. */
  action: string;
  purpose: Purpose;
  chosen: ChosenFiles;
  /** Error of the current choice. */
  error?: string | undefined;
  disabled?: boolean;
}

const TYPES: Readonly<Record<Purpose, string>> = {
  image: 'image/png,image/jpeg,image/webp',
  mask: 'image/png',
};

/** Files from a button or by drop, with previews and remove buttons. */
export function FileField({ label, description, action, purpose, chosen, error, disabled }: FileFieldProps) {
  const { files, problems, add, remove } = chosen;
  const id = useId();
  const resetPicked = useRef<() => void>(null);
  const { isOver, handlers } = useDrop((dropped) => !disabled && add(dropped));
  const message = [...(error ? [error] : []), ...problems].join(' ');
  const pick = (picked: File | readonly File[] | null) => {
    add(picked === null ? [] : Array.isArray(picked) ? picked : [picked as File]);
    // Otherwise the same file could not be picked again.
    resetPicked.current?.();
  };
  return (
    <fieldset className={classes.field} aria-labelledby={`${id}-label`} aria-describedby={`${id}-about`}>
      <Input.Label id={`${id}-label`} labelElement="div">
        {label}
      </Input.Label>
      <Input.Description id={`${id}-about`}>{description}</Input.Description>
      <div className={classes.drop} data-over={isOver || undefined} {...handlers}>
        {files.map((file) => (
          <FilePreview key={file.id} chosen={file} disabled={disabled} onRemove={() => remove(file.id)} />
        ))}
        <Group gap="sm">
          <FileButton
            accept={TYPES[purpose]}
            multiple={purpose === 'image'}
            resetRef={resetPicked}
            onChange={pick}
            disabled={disabled}
          >
            {(props) => (
              <Button
                {...props}
                variant="default"
                size="xs"
                disabled={disabled}
                leftSection={<ImagePlus size={14} aria-hidden />}
              >
                {action}
              </Button>
            )}
          </FileButton>
          <Text span size="xs" c="dimmed" visibleFrom="sm">
            or drop {purpose === 'mask' ? 'it' : 'them'} here
          </Text>
        </Group>
      </div>
      <div role="alert">{message && <Input.Error mt={5}>{message}</Input.Error>}</div>
    </fieldset>
  );
}

function useDrop(onDrop: (files: File[]) => void) {
  const [isOver, setIsOver] = useState(false);
  const allow = (event: DragEvent) => {
    event.preventDefault();
    setIsOver(event.dataTransfer.types.includes('Files'));
  };
  const leave = (event: DragEvent) => {
    const isInside = event.relatedTarget instanceof Node && event.currentTarget.contains(event.relatedTarget);
    if (!isInside) setIsOver(false);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setIsOver(false);
    onDrop([...event.dataTransfer.files]);
  };
  return { isOver, handlers: { onDragEnter: allow, onDragOver: allow, onDragLeave: leave, onDrop: drop } };
}
