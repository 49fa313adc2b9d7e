import { GatewayError } from '@gateway/errors';
import type { Call, UserCall, UserEndpoint } from '../routes/endpoint';
import { accountInPathOf, idsOf, isAccountId } from './record-change';
import type { SecurityEvents } from './security-events';

/** Paths with data of accounts; operators' other reads concern the gateway itself. */
const ACCOUNT_DATA_PATHS = [
  '/admin/accounts',
  '/admin/audit',
  '/admin/keys',
  '/admin/requests',
  '/admin/topups',
];

/**
 * Records that an operator has read accounts' data. An account's audit log has one entry in an hour for each operator
 * and each call, because pages read again and again; the security log has them all.
 */
export async function recordLookup(
  events: SecurityEvents,
  endpoint: UserEndpoint,
  call: UserCall,
  result: unknown,
): Promise<void> {
  if (!ACCOUNT_DATA_PATHS.some((path) => endpoint.path.startsWith(path))) return;
  const { user, context, clientIp } = call;
  const origin = { requestId: context.requestId, clientIp };
  const action = endpoint.path.slice(1);
  const accountId = accountInPathOf(endpoint, call) ?? idsOf(result).account_id ?? filteredAccountOf(call);
  const subject = call.params.id === accountId ? undefined : call.params.id;
  const subjectField = { ...(subject !== undefined && { subject }) };
  const isAudited =
    accountId !== undefined && events.isFirstThisHour(`lookup ${user.id} ${accountId} ${action}`);
  if (!isAudited) {
    events.log(
      {
        event: 'operator.lookup',
        action,
        actorId: user.id,
        ...subjectField,
        ...(accountId !== undefined && { accountId }),
      },
      origin,
    );
    return;
  }
  const actor = { accountId, id: user.id, email: user.email, byOperator: true };
  await events.audit({ event: 'operator.lookup', action, ...subjectField }, actor, origin);
}

/** Returns the account by which a list of all accounts was filtered. */
function filteredAccountOf({ query }: UserCall): string | undefined {
  const { account_id: id } = (query ?? {}) as Readonly<Record<string, unknown>>;
  return typeof id === 'string' && isAccountId(id) ? id : undefined;
}

/** Records a refused login token; errors other than 401 are ignored. */
export function recordRefusedToken(
  events: SecurityEvents,
  error: unknown,
  { context, clientIp }: Pick<Call, 'context' | 'clientIp'>,
): void {
  const { row, code } = GatewayError.from(error);
  if (row.status !== 401) return;
  events.log({ event: 'token.refused', reason: code }, { requestId: context.requestId, clientIp });
}
