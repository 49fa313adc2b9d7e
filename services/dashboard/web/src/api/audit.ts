import { apiGet, type Page } from './client';

export interface AuditEntry {
  readonly id: string;
  readonly created_at: string;
  /** Without a name where it was one of the gateway's operators. */
  readonly actor: { readonly id: string | null; readonly email: string | null; readonly operator: boolean };
  /** The call's path. */
  readonly action: string;
  readonly subject: string | null;
  /** The call's body. */
  readonly changes: unknown;
  readonly outcome: 'done' | 'unknown';
  readonly request_id: string;
  /** IP address; null for operators and for entries from before addresses were kept. */
  readonly address: string | null;
}

export const listAudit = (cursor?: string, limit?: number) =>
  apiGet<Page<AuditEntry>>('audit', { cursor, limit });
