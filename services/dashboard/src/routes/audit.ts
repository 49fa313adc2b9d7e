import type { Pool } from '@gateway/postgres';
import { z } from 'zod';
import type { SequenceMask } from '../domain/sequence-mask';
import { type AuditRow, listAudit } from '../store/audit';
import { type Endpoint, endpoint } from './endpoint';
import { pageQuery } from './parse-input';
import { anyAuditEntryResponse, auditEntryResponse, listOf } from './responses';
import { toList } from './to-json';

const LAST_SEQ = String(2n ** 63n - 1n);
const anyAuditQuery = pageQuery.extend({
  account_id: z
    .string()
    .regex(/^[\w-]{1,128}$/, 'not an account ID')
    .optional(),
});

export interface AuditDependencies {
  readonly pool: Pool;
  readonly mask: SequenceMask;
}

export const auditEndpoints = (deps: AuditDependencies): Endpoint[] => [
  endpoint('owner', 'GET /audit', {
    summary: "List the account's audit log, newest first",
    query: pageQuery,
    response: listOf(auditEntryResponse),
    // Includes operators' changes to the account, without their names and addresses.
    async handle({ user, query }) {
      const { rows, nextCursor } = await pageOf(deps, user.accountId, query);
      const noActor = { id: null, email: null };
      return toList(
        rows.map((row) => ({
          ...toAuditJson(deps, row, row.by_operator ? noActor : actorOf(row)),
          address: row.by_operator ? null : row.address,
        })),
        nextCursor,
      );
    },
  }),
  endpoint('operator', 'GET /admin/audit', {
    summary: 'List the audit log of all accounts, or of one, newest first',
    query: anyAuditQuery,
    response: listOf(anyAuditEntryResponse),
    async handle({ query: { account_id, ...page } }) {
      const { rows, nextCursor } = await pageOf(deps, account_id, page);
      return toList(
        rows.map((row) => ({
          ...toAuditJson(deps, row, actorOf(row)),
          address: row.address,
          account_id: row.account_id,
        })),
        nextCursor,
      );
    },
  }),
];

/** @param accountId undefined: all accounts */
async function pageOf(
  { pool, mask }: AuditDependencies,
  accountId: string | undefined,
  { limit, cursor }: { readonly limit: number; readonly cursor: string },
) {
  const before = cursor === '' ? LAST_SEQ : mask.reveal('audit', cursor);
  const { rows, nextCursor } = await listAudit(pool, accountId, { limit, before });
  return { rows, nextCursor: nextCursor === '' ? '' : mask.hide('audit', nextCursor) };
}

const actorOf = (row: AuditRow) => ({ id: row.actor_id, email: row.actor_email });

const toAuditJson = (
  { mask }: AuditDependencies,
  row: AuditRow,
  actor: { id: string | null; email: string | null },
) => ({
  id: mask.hide('audit', String(row.seq)),
  created_at: row.created_at.toISOString(),
  actor: { ...actor, operator: row.by_operator },
  action: row.action,
  subject: row.subject,
  changes: row.changes === null ? null : JSON.parse(row.changes),
  outcome: row.done ? 'done' : 'unknown',
  request_id: row.request_id,
});
