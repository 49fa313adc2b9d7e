import { GatewayError } from '@gateway/errors';
import type { Pool } from '@gateway/postgres';
import {
  type AuditFileFormat,
  anyAuditEntryResponse,
  auditEntryResponse,
  auditFileQuery,
  auditQuery,
  oneAccount,
} from '../api/audit';
import { listOf } from '../api/fields';
import type { SequenceMask } from '../domain/sequence-mask';
import { throwIfLimited } from '../domain/throw-if-limited';
import { type AttemptLimit, countAttempt } from '../store/attempts';
import { type AuditFilter, type AuditRow, countAudit, LAST_SEQ, listAudit } from '../store/audit';
import { AUDIT_FILES, auditFile, type FileEntry } from './audit-file';
import { type Endpoint, endpoint } from './endpoint';
import type { StreamedFile } from './streamed-file';
import { toOperatorsJson, toOwnersJson } from './to-audit-json';
import { toList } from './to-json';

const MAX_EXPORTED_ENTRIES = 100_000;
const EXPORT_PAGE_ENTRIES = 500;

const fileTypes = Object.values(AUDIT_FILES).map(({ mediaType }) => mediaType);

export interface AuditDependencies {
  readonly pool: Pool;
  readonly mask: SequenceMask;
  readonly limits: { readonly exportPerUser: AttemptLimit };
}

export const auditEndpoints = (deps: AuditDependencies): Endpoint[] => [
  endpoint('owner', 'GET /audit', {
    summary: "List the account's audit log, newest first",
    query: auditQuery,
    response: listOf(auditEntryResponse),
    async handle({ user, query }) {
      const { rows, nextCursor } = await pageOf(deps, filterOf(query, user.accountId), query);
      return toList(
        rows.map((row) => toOwnersJson(row, deps)),
        nextCursor,
      );
    },
  }),
  endpoint('owner', 'GET /audit/export', {
    summary: "Export the account's audit log, newest first",
    query: auditFileQuery,
    fileTypes,
    codes: ['too_many_attempts'],
    handle: ({ user, query }) =>
      exportOf(deps, user.id, filterOf(query, user.accountId), query.format, (row) =>
        toOwnersJson(row, deps),
      ),
  }),
  endpoint('operator', 'GET /admin/audit', {
    summary: 'List the audit log of all accounts, or of one, newest first',
    query: auditQuery.extend(oneAccount),
    response: listOf(anyAuditEntryResponse),
    async handle({ query }) {
      const { rows, nextCursor } = await pageOf(deps, filterOf(query, query.account_id), query);
      return toList(
        rows.map((row) => toOperatorsJson(row, deps)),
        nextCursor,
      );
    },
  }),
  endpoint('operator', 'GET /admin/audit/export', {
    summary: 'Export the audit log of all accounts, or of one, newest first',
    query: auditFileQuery.extend(oneAccount),
    fileTypes,
    codes: ['too_many_attempts'],
    handle: ({ user, query }) =>
      exportOf(deps, user.id, filterOf(query, query.account_id), query.format, (row) =>
        toOperatorsJson(row, deps),
      ),
  }),
];

const filterOf = (
  { from, to }: { readonly from?: number | undefined; readonly to?: number | undefined },
  accountId: string | undefined,
): AuditFilter => ({ accountId, fromMs: from, toMs: to });

async function pageOf(
  { pool, mask }: AuditDependencies,
  filter: AuditFilter,
  { limit, cursor }: { readonly limit: number; readonly cursor: string },
) {
  const before = cursor === '' ? LAST_SEQ : mask.reveal('audit', cursor);
  const { rows, nextCursor } = await listAudit(pool, filter, { limit, before });
  return { rows, nextCursor: nextCursor === '' ? '' : mask.hide('audit', nextCursor) };
}

/** Throws `invalid_request` for more entries than one file may have, because a file that lacks some would look complete. */
async function exportOf(
  { pool, limits }: AuditDependencies,
  userId: string,
  filter: AuditFilter,
  format: AuditFileFormat,
  toJson: (row: AuditRow) => FileEntry,
): Promise<StreamedFile> {
  throwIfLimited(await countAttempt(pool, limits.exportPerUser, userId));
  const count = await countAudit(pool, filter, MAX_EXPORTED_ENTRIES + 1);
  if (count > MAX_EXPORTED_ENTRIES) {
    const detail = `from, to: more than ${MAX_EXPORTED_ENTRIES} entries; choose a shorter range`;
    throw new GatewayError('invalid_request', { detail });
  }
  return auditFile(format, pagesOf(pool, filter, toJson));
}

async function* pagesOf(pool: Pool, filter: AuditFilter, toJson: (row: AuditRow) => FileEntry) {
  let before = LAST_SEQ;
  while (before !== '') {
    const { rows, nextCursor } = await listAudit(pool, filter, { limit: EXPORT_PAGE_ENTRIES, before });
    yield rows.map(toJson);
    before = nextCursor;
  }
}
