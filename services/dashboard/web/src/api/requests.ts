import type { RequestFilter, RequestRecord } from '../../../src/api/requests';
import { apiGet, type Page } from './client';

export type * from '../../../src/api/requests';

export const listRequests = (filter: RequestFilter = {}, cursor?: string, limit?: number) =>
  apiGet<Page<RequestRecord>>('requests', { ...filter, cursor, limit });
export const getRequest = (id: string) => apiGet<RequestRecord>(`requests/${encodeURIComponent(id)}`);
