import { apiGet, type Page } from './client';

export interface AuditEntry {
  readonly id: string;
  readonly created_at: string;
  /** Without a name for an operator of the gateway. */
  readonly actor: { readonly id: string | null; readonly email: string | null; readonly operator: boolean };
  /** The path of the call. */
  readonly action: string;
  readonly subject: string | null;
  /** The body of the call. */
  readonly changes: unknown;
  /** Refused: nothing was changed. */
  readonly outcome: 'done' | 'refused' | 'unknown';
  readonly request_id: string;
  /** IP address; null for operators, and for entries that were written before addresses were recorded. */
  readonly address: string | null;
}

export const listAudit = (cursor?: string, limit?: number) =>
  apiGet<Page<AuditEntry>>('audit', { cursor, limit });
