import type { Role } from './access';

export interface User {
  readonly id: string;
  readonly accountId: string;
  readonly email: string;
  readonly name: string;
  /** In the account. */
  readonly role: Role;
  /** An operator of the gateway, who may call `admin/…`. */
  readonly operator: boolean;
  /** The password was given by somebody else: it must be changed before anything else. */
  readonly mustChangePassword: boolean;
}

/** A login session. */
export interface Session {
  readonly id: string;
  readonly expiresAtMs: number;
  /** How often its token was refreshed. */
  readonly renewals: number;
}

/** The user and session of a call's token. */
export interface Login {
  readonly user: User;
  readonly session: Session;
  /** How often the session's token had been refreshed when this one was issued; undefined if its issuer did not count. */
  readonly tokenRenewals: number | undefined;
}
