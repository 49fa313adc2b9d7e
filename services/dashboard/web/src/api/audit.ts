import type { AuditEntry, AuditFileFormat } from '../../../src/api/audit';
import { ApiError } from './api-error';
import { apiGet, apiGetRaw, type Page, withQuery } from './client';

export type * from '../../../src/api/audit';

export const listAudit = (cursor?: string, limit?: number) =>
  apiGet<Page<AuditEntry>>('audit', { cursor, limit });

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
