import { ApiError } from './api-error';
import { apiGet, apiGetRaw, type Page, withQuery } from './client';

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
  /** Of a refused change. */
  readonly error_code: string | null;
  readonly request_id: string;
  /** IP address; null for operators, and for entries that were written before addresses were recorded. */
  readonly address: string | null;
}

export const listAudit = (cursor?: string, limit?: number) =>
  apiGet<Page<AuditEntry>>('audit', { cursor, limit });

export type AuditFileFormat = 'csv' | 'ndjson';

export interface AuditFileRange {
  /** UTC days. */
  readonly from: string;
  readonly lastDay: string;
  readonly format: AuditFileFormat;
}

const DAY_MS = 86_400_000;

/** The byte order mark by which spreadsheets detect UTF-8. */
const BOM = '\uFEFF';

/** @param accountId of operators' log; empty: all accounts */
export async function exportAudit(
  path: 'audit' | 'admin/audit',
  { from, lastDay, format, accountId }: AuditFileRange & { readonly accountId: string },
): Promise<Blob> {
  const to = new Date(Date.parse(lastDay) + DAY_MS).toISOString();
  const response = await apiGetRaw(withQuery(`${path}/export`, { from, to, format, account_id: accountId }));
  const file = await response.blob().catch(() => {
    throw ApiError.unreachable();
  });
  return format === 'csv' ? new Blob([BOM, file], { type: file.type }) : file;
}
