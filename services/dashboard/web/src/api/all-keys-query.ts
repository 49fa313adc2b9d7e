import { queryOptions } from '@tanstack/react-query';
import { listKeys } from './keys';

/** More than people make; of those beyond it only the ids are shown. */
const MAX_KEYS = 1_000;

/** For the names of keys, and to choose one. */
export const allKeysQuery = queryOptions({
  queryKey: ['keys', 'names'],
  queryFn: () => listKeys(undefined, MAX_KEYS),
});

/** Calls outlive their keys. */
export const deletedKeyName = (id: string): string => `Deleted key ${id.slice(-6)}`;
