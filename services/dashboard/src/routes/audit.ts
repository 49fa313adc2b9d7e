import type { Pool } from '@gateway/runtime';
import { z } from 'zod';
import { type AuditRow, listAudit } from '../store/audit';
import { anyAuditEntryAnswer, auditEntryAnswer, listOf } from './answers';
import type { Endpoint, UserCall } from './endpoint';
import { pageQuery, parseQuery } from './parse-input';
import { toList } from './to-json';

const LAST_SEQ = String(2n ** 63n - 1n);
const auditQuery = pageQuery.extend({
  cursor: z
    .string()
    .regex(/^\d{1,18}$/, 'not one that a list answered')
    .default(LAST_SEQ),
});
const anyAuditQuery = auditQuery.extend({
  account_id: z
    .string()
    .regex(/^[\w-]{1,128}$/, 'not the id of an account')
    .optional(),
});

export function auditEndpoints(pool: Pool): Endpoint[] {
  return [
    {
      method: 'GET',
      path: '/audit',
      access: 'owner',
      handle: (call) => ofAccount(pool, call),
      doc: {
        summary: 'Who changed what in the account, newest first',
        query: auditQuery,
        answer: listOf(auditEntryAnswer),
      },
    },
    {
      method: 'GET',
      path: '/admin/audit',
      access: 'operator',
      handle: (call) => ofAll(pool, call),
      doc: {
        summary: 'Who changed what in any account, or in the one named, newest first',
        query: anyAuditQuery,
        answer: listOf(anyAuditEntryAnswer),
      },
    },
  ];
}

/** What operators did to the account is there, without their names. */
async function ofAccount(pool: Pool, { user, query }: UserCall) {
  const { limit, cursor: before } = parseQuery(auditQuery, query);
  const { rows, nextCursor } = await listAudit(pool, user.accountId, { limit, before });
  const nobody = { id: null, email: null };
  return toList(
    rows.map((row) => toAuditJson(row, row.by_operator ? nobody : actorOf(row))),
    nextCursor,
  );
}

async function ofAll(pool: Pool, { query }: UserCall) {
  const { limit, cursor: before, account_id } = parseQuery(anyAuditQuery, query);
  const { rows, nextCursor } = await listAudit(pool, account_id, { limit, before });
  return toList(
    rows.map((row) => ({ ...toAuditJson(row, actorOf(row)), account_id: row.account_id })),
    nextCursor,
  );
}

const actorOf = (row: AuditRow) => ({ id: row.actor_id, email: row.actor_email });

const toAuditJson = (row: AuditRow, actor: { id: string | null; email: string | null }) => ({
  id: String(row.seq),
  created_at: row.created_at.toISOString(),
  actor: { ...actor, operator: row.by_operator },
  action: row.action,
  subject: row.subject,
  changes: row.changes === null ? null : JSON.parse(row.changes),
  outcome: row.done ? 'done' : 'unknown',
  request_id: row.request_id,
});
