import type { Role } from './access';

export interface User {
  readonly id: string;
  readonly accountId: string;
  readonly email: string;
  readonly name: string;
  /** In the account. */
  readonly role: Role;
  /** Runs the gateway: may call `admin/…`. */
  readonly operator: boolean;
}

/** A login by which calls are made. */
export interface Session {
  readonly id: string;
  readonly expiresAtMs: number;
  /** How often its token was refreshed. */
  readonly renewals: number;
}

/** Who makes a call, as its token tells. */
export interface Login {
  readonly user: User;
  readonly session: Session;
  /** How often the session's token had been refreshed when this one was issued; undefined: a version did not count. */
  readonly tokenRenewals: number | undefined;
}
