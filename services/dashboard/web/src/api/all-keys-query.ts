import { queryOptions } from '@tanstack/react-query';
import { listKeys } from './keys';

/** More keys than accounts have in practice; beyond it only ids are shown. */
const MAX_KEYS = 1_000;

/** For names of keys and for key pickers. */
export const allKeysQuery = queryOptions({
  queryKey: ['keys', 'names'],
  queryFn: () => listKeys(undefined, MAX_KEYS),
});

/** Requests outlive their keys. */
export const deletedKeyName = (id: string): string => `Deleted key ${id.slice(-6)}`;
