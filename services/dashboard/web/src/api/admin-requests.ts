import type { AnyRequestFilter, AnyRequestRecord } from '../../../src/api/requests';
import { apiGet, type Page } from './client';

export type * from '../../../src/api/requests';

/** The cell has no effect with an account; by default home. */
export const listAllRequests = (filter: AnyRequestFilter, cursor?: string, limit?: number) =>
  apiGet<Page<AnyRequestRecord>>('admin/requests', { ...filter, cursor, limit });
export const findRequest = (id: string) =>
  apiGet<AnyRequestRecord>(`admin/requests/${encodeURIComponent(id)}`);
