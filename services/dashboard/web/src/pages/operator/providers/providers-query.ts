import { queryOptions } from '@tanstack/react-query';
import { getProviderPresets, getProviders } from '../../../api/admin-providers';

const REFETCH_INTERVAL_MS = 5_000;

/** All providers with their health as chat and media report it now. */
export const providersQuery = queryOptions({
  queryKey: ['admin', 'providers'],
  queryFn: getProviders,
  refetchInterval: REFETCH_INTERVAL_MS,
});

/** Part of a release of the gateway. */
export const presetsQuery = queryOptions({
  queryKey: ['admin', 'provider-presets'],
  queryFn: getProviderPresets,
  staleTime: Number.POSITIVE_INFINITY,
});
