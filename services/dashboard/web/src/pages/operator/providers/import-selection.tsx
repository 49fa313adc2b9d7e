import { Button, Checkbox, Group, Stack, Text } from '@mantine/core';
import { type ImportRow, isFree } from './import-rows';
import { counted } from './provider-state';

interface SelectionProps {
  found: readonly ImportRow[];
  selected: readonly ImportRow[];
  onSelectAll: (isSelected: boolean) => void;
  onImport: () => void;
  isCurrent: boolean;
  isPending: boolean;
}

/** Selects all importable models that are found, and imports the selected ones. */
export function ImportSelection({
  found,
  selected,
  onSelectAll,
  onImport,
  isCurrent,
  isPending,
}: SelectionProps) {
  const importable = found.filter(({ problem }) => problem === undefined);
  const isAll = importable.length > 0 && importable.every((row) => selected.includes(row));
  return (
    <Group
      justify="space-between"
      gap="xs"
      py="xs"
      pos="sticky"
      top="var(--app-shell-header-height)"
      bg="var(--mantine-color-body)"
      style={{ zIndex: 1 }}
    >
      <Checkbox
        label={`Select all ${importable.length} that can be imported`}
        disabled={importable.length === 0}
        checked={isAll}
        indeterminate={!isAll && importable.some((row) => selected.includes(row))}
        onChange={() => onSelectAll(!isAll)}
      />
      <Group gap="sm" justify="space-between" w={{ base: '100%', xs: 'auto' }}>
        <Text size="sm" c="dimmed" role="status">
          {selected.length} selected of {counted(found.length, 'model')}
        </Text>
        <Button disabled={selected.length === 0 || !isCurrent} loading={isPending} onClick={onImport}>
          Import
        </Button>
      </Group>
    </Group>
  );
}

/** What an import changes. */
export function ImportQuestion({ selected }: { selected: readonly ImportRow[] }) {
  const added = selected.filter(({ isExisting }) => isExisting).length;
  const free = selected.filter(isFree).length;
  const created = selected.length - added;
  return (
    <Stack gap="xs">
      {created > 0 && (
        <Text size="sm">
          {counted(created, 'new model')} can be called by all accounts at once, at the prices shown.
        </Text>
      )}
      {added > 0 && (
        <Text size="sm">
          {counted(added, 'model')} of the catalog {added === 1 ? 'gets' : 'get'} this provider as a target;
          prices stay.
        </Text>
      )}
      {free > 0 && (
        <Text size="sm" fw={500}>
          {counted(free, 'model')} {free === 1 ? 'is' : 'are'} free of charge.
        </Text>
      )}
    </Stack>
  );
}
