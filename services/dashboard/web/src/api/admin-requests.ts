import { apiGet, type Page } from './client';
import type { RequestFilter, RequestRecord } from './requests';

/** A request of any account. A request with a login token has a user and no key. */
export interface AnyRequestRecord extends Omit<RequestRecord, 'key_id'> {
  readonly account_id: string | null;
  readonly key_id: string | null;
  readonly user_id: string | null;
  /** What the provider charges; null: not known. */
  readonly provider_cost: number | null;
}

export interface AnyRequestFilter extends RequestFilter {
  readonly account_id?: string;
  /** Has no effect with an account; by default home. */
  readonly cell?: string | undefined;
}

export const listAllRequests = (filter: AnyRequestFilter, cursor?: string, limit?: number) =>
  apiGet<Page<AnyRequestRecord>>('admin/requests', { ...filter, cursor, limit });
export const findRequest = (id: string) =>
  apiGet<AnyRequestRecord>(`admin/requests/${encodeURIComponent(id)}`);
