import { Select, type SelectProps } from '@mantine/core';
import { useEffect } from 'react';
import { useSearchParams } from 'react-router';
import { useMe } from '../../api/use-me';
import { useCell, useLastCell } from './use-cell';

/** Chooses the cell that a list shows, in the address; renders nothing if there is only one. */
export function CellSelect(props: SelectProps) {
  const { cells } = useMe();
  const cell = useCell();
  const [last, setLast] = useLastCell();
  const [search, setSearch] = useSearchParams();
  const choose = (name: string) => {
    const next = new URLSearchParams(search);
    next.set('cell', name);
    setSearch(next, { replace: true });
  };
  // Links to the list and changes of its other filters omit the cell.
  useEffect(() => {
    if (cell === undefined) return;
    if (last !== cell) setLast(cell);
    if (search.get('cell') !== cell) choose(cell);
  });
  if (cell === undefined) return null;
  return (
    <Select
      label="Cell"
      data={[...cells]}
      value={cell}
      allowDeselect={false}
      onChange={(name) => name && choose(name)}
      {...props}
    />
  );
}
