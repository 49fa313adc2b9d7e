import type { Pool } from '@gateway/postgres';
import type { Logger, SecurityEvent, SecurityLog } from '@gateway/process';
import { RecentSet } from '../domain/recent-set';
import { insertAuditEntry } from '../store/audit';

/** The origin of an event: the client and the call. */
export interface Origin {
  readonly requestId: string;
  /** IP address of the client. */
  readonly clientIp: string;
}

/** The actor of an audited security event, and the account that it concerns. */
export interface AuditedActor {
  /** Null: the event concerns the whole gateway. */
  readonly accountId: string | null;
  readonly id: string;
  readonly email: string;
  readonly byOperator: boolean;
}

const REPEAT_MS = 60 * 60 * 1_000;
const MAX_REPEATS = 10_000;

/** Writes security events to the security log, and to the audit log of the account that they concern. */
export class SecurityEvents {
  readonly #pool: Pool;
  readonly #security: SecurityLog;
  readonly #log: Logger;
  readonly #recent = new RecentSet({ ttlMs: REPEAT_MS, maxNames: MAX_REPEATS });

  constructor(deps: { readonly pool: Pool; readonly security: SecurityLog; readonly log: Logger }) {
    this.#pool = deps.pool;
    this.#security = deps.security;
    this.#log = deps.log;
  }

  /** Writes to the security log only. */
  log(event: Omit<SecurityEvent, 'address' | 'requestId'>, origin: Origin): void {
    this.#security.record({ ...event, address: origin.clientIp, requestId: origin.requestId });
  }

  /** Records the name; returns false if this instance has recorded it within the last hour. */
  isFirstThisHour(name: string): boolean {
    return this.#recent.add(name);
  }

  /** Writes to both logs. Never rejects: a login does not fail because of its entry. */
  async audit(
    event: Pick<SecurityEvent, 'event' | 'action' | 'subject' | 'reason'>,
    actor: AuditedActor,
    origin: Origin,
  ): Promise<void> {
    const { accountId } = actor;
    this.log({ ...event, actorId: actor.id, ...(accountId !== null && { accountId }) }, origin);
    const entry = {
      accountId,
      actorId: actor.id,
      actorEmail: actor.email,
      byOperator: actor.byOperator,
      action: event.event,
      changes: toChanges(event),
      requestId: origin.requestId,
      address: origin.clientIp,
    };
    try {
      await insertAuditEntry(this.#pool, entry, { done: true, subject: event.subject ?? null });
    } catch (error) {
      this.#log.error({ err: error, event: event.event }, 'security event missing in the audit log');
    }
  }
}

/** Returns the details that the audit log shows with the event, as JSON. */
function toChanges({ action, reason }: Pick<SecurityEvent, 'action' | 'reason'>): string | null {
  if (action === undefined && reason === undefined) return null;
  return JSON.stringify({ call: action, reason });
}
