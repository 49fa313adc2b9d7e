import { useSessionStorage } from '@mantine/hooks';
import { useSearchParams } from 'react-router';
import { useMe } from '../../api/use-me';

/** Kept for the tab: a page of a single account or request does not have the cell in its address. */
export const useLastCell = () =>
  useSessionStorage<string>({ key: 'gateway-cell', defaultValue: '', getInitialValueInEffect: false });

/**
 * Returns the cell whose accounts, top-ups and requests an operator lists: that of the address, or the last one chosen.
 * Undefined if the gateway has only one.
 */
export function useCell(): string | undefined {
  const { cells } = useMe();
  const [search] = useSearchParams();
  const [last] = useLastCell();
  if (cells.length < 2) return undefined;
  return [search.get('cell'), last].find((name) => name && cells.includes(name)) ?? cells[0];
}
