import { GatewayError } from '@gateway/errors';
import type { Pool } from '@gateway/postgres';
import { throwIfLimited } from '../domain/throw-if-limited';
import type { UserCall, UserEndpoint } from '../routes/endpoint';
import { type AttemptLimit, countAttempt } from '../store/attempts';
import { type AuditOutcome, insertAuditEntry, insertAuditOutcome } from '../store/audit';
import type { SecurityEvents } from './security-events';

const NEW_ACCOUNT = '/admin/accounts';
const ACCOUNTS = `${NEW_ACCOUNT}/:id`;
const ID = /^[\w-]{1,128}$/;
const MAX_CHANGES_CHARS = 4_000;

export interface RecordDependencies {
  readonly pool: Pool;
  readonly events: SecurityEvents;
  /** Limits the changes by the users of one account: each writes rows that are kept. */
  readonly changePerAccount: AttemptLimit;
}

/**
 * Makes a change and records who made it. The entry is written first, so that there is no change without one; an entry without
 * an outcome says that it is unknown. A call with an invalid body is not recorded: nothing is known of its fields, which may
 * be misspelled secrets, and entries can't be deleted.
 */
export async function recordChange(
  { pool, events, changePerAccount }: RecordDependencies,
  endpoint: UserEndpoint,
  call: UserCall,
): Promise<unknown> {
  const { user, context } = call;
  const byOperator = endpoint.access === 'operator';
  if (!byOperator) throwIfLimited(await countAttempt(pool, changePerAccount, user.accountId));
  endpoint.check(call);
  const action = endpoint.path.slice(1);
  const entry = {
    accountId: byOperator ? accountInPathOf(endpoint, call) : user.accountId,
    actorId: user.id,
    actorEmail: user.email,
    byOperator,
    action,
    changes: toChanges(call.body),
    requestId: context.requestId,
    address: call.clientIp,
  };
  const seq = await insertAuditEntry(pool, entry, { done: false });
  const end = (outcome: AuditOutcome) =>
    insertAuditOutcome(pool, seq, outcome).catch((error: unknown) =>
      context.log.error({ err: error, seq }, 'audit entry without an outcome'),
    );
  let result: unknown;
  try {
    result = await endpoint.handle(call);
  } catch (thrown) {
    const { code, row } = GatewayError.from(thrown);
    // A change that failed on our side may have been made nevertheless.
    if (row.status < 500) await end({ outcome: 'refused', errorCode: code, subject: call.params.id ?? null });
    throw thrown;
  }
  const ids = idsOf(result);
  const subject = ids.id ?? ids.slug ?? call.params.id ?? null;
  const accountInResult = byOperator ? (ids.account_id ?? createdAccountOf(endpoint, ids)) : null;
  const accountId = entry.accountId ?? accountInResult;
  events.log(
    {
      event: 'change',
      action,
      actorId: user.id,
      ...(accountId !== null && { accountId }),
      ...(subject !== null && { subject }),
    },
    { requestId: context.requestId, clientIp: call.clientIp },
  );
  await end({ outcome: 'done', accountId: entry.accountId === null ? accountInResult : null, subject });
  return result;
}

export const isAccountId = (id: string): boolean => ID.test(id);

/** Returns the account in the path of an operator's call. */
export function accountInPathOf({ path }: UserEndpoint, { params }: UserCall): string | null {
  return path.startsWith(ACCOUNTS) && isAccountId(params.id ?? '') ? params.id! : null;
}

/** The id of a new account is known only from the result. */
function createdAccountOf({ path }: UserEndpoint, ids: { readonly id?: string }): string | null {
  return (path === NEW_ACCOUNT && ids.id) || null;
}

/** Fields with passwords, key values and secrets of credentials. */
const SECRET_FIELDS: readonly string[] = ['password', 'new_password', 'values', 'secret', 'invitation'];

/** Returns JSON text, which can hold more than PostgreSQL's own JSON. Without secret fields, also in lists. */
function toChanges(body: unknown): string | null {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return null;
  const rest = Object.fromEntries(Object.entries(body).filter(([name]) => !SECRET_FIELDS.includes(name)));
  if (Object.keys(rest).length === 0) return null;
  const whole = JSON.stringify(rest, (name, value) => (SECRET_FIELDS.includes(name) ? undefined : value));
  return whole.length <= MAX_CHANGES_CHARS
    ? whole
    : JSON.stringify({
        fields: Object.keys(rest)
          .slice(0, 20)
          .map((name) => name.slice(0, 50)),
      });
}

export function idsOf(result: unknown): Partial<Record<'id' | 'slug' | 'account_id', string>> {
  if (typeof result !== 'object' || result === null) return {};
  return Object.fromEntries(
    Object.entries(result).filter(
      ([name, value]) => ['id', 'slug', 'account_id'].includes(name) && typeof value === 'string',
    ),
  );
}
