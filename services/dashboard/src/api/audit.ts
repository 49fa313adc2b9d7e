import { z } from 'zod';
import { id, type Json, moment, pageQuery, time } from './fields';

const auditEntry = {
  id,
  created_at: time,
  actor: z.object({ id: z.string().nullable(), email: z.string().nullable(), operator: z.boolean() }),
  action: z.string(),
  subject: z.string().nullable(),
  changes: z.record(z.string(), z.unknown()).nullable().meta({ description: 'The requested change' }),
  outcome: z
    .enum(['done', 'refused', 'unknown'])
    .meta({ description: '`unknown`: in progress, or interrupted; the change may have been made' }),
  error_code: z.string().nullable().meta({ description: 'Why the change was refused' }),
  request_id: z.string(),
  address: z.string().nullable().meta({ description: 'IP address of the actor; null for an operator' }),
};
export const auditEntryResponse = z.object(auditEntry).meta({ id: 'AuditEntry' });
export const anyAuditEntryResponse = z.object({ ...auditEntry, account_id: z.string().nullable() });

const AUDIT_FILE_FORMATS = ['csv', 'ndjson'] as const;

const range = { from: moment.optional(), to: moment.optional() };
export const auditQuery = pageQuery.extend(range);
export const auditFileQuery = z.object({
  ...range,
  format: z.enum(AUDIT_FILE_FORMATS).default('csv'),
});
export const oneAccount = {
  account_id: z
    .string()
    .regex(/^[\w-]{1,128}$/, 'not an account ID')
    .optional(),
};

export type AuditEntry = Json<typeof auditEntryResponse>;
/** `account_id` null: the entry concerns the whole gateway. */
export type AnyAuditEntry = Json<typeof anyAuditEntryResponse>;
export type AuditFileFormat = (typeof AUDIT_FILE_FORMATS)[number];
