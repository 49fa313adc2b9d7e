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
}
