import type { AnyAuditEntry, AuditEntry } from '../api/audit';
import type { SequenceMask } from '../domain/sequence-mask';
import type { AuditRow } from '../store/audit';

interface Masks {
  readonly mask: SequenceMask;
}

/** Operators' changes to the account are without their names and addresses. */
export function toOwnersJson(row: AuditRow, masks: Masks): AuditEntry {
  const actor = row.by_operator ? { id: null, email: null } : actorOf(row);
  return { ...toJson(row, masks, actor), address: row.by_operator ? null : row.address };
}

export const toOperatorsJson = (row: AuditRow, masks: Masks): AnyAuditEntry => ({
  ...toJson(row, masks, actorOf(row)),
  address: row.address,
  account_id: row.account_id,
});

const actorOf = (row: AuditRow) => ({ id: row.actor_id, email: row.actor_email });

const toJson = (row: AuditRow, { mask }: Masks, actor: { id: string | null; email: string | null }) => ({
  id: mask.hide('audit', String(row.seq)),
  created_at: row.created_at.toISOString(),
  actor: { ...actor, operator: row.by_operator },
  action: row.action,
  subject: row.subject,
  changes: row.changes === null ? null : JSON.parse(row.changes),
  outcome: row.outcome,
  error_code: row.error_code,
  request_id: row.request_id,
});
