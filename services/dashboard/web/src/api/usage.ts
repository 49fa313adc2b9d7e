import type { Usage, UsageQuery } from '../../../src/api/requests';
import { apiGet } from './client';

export type * from '../../../src/api/requests';

export const getUsage = (query: UsageQuery) => apiGet<Usage>('usage', { ...query });
