import { apiGet, apiPost } from './client';
import { exchange, readJson } from './exchange';
import { loginToken } from './login-token';

export type Role = 'viewer' | 'member' | 'owner';

export interface Me {
  readonly user: { readonly id: string; readonly email: string; readonly name: string };
  readonly account: {
    readonly id: string;
    readonly name: string;
    readonly status: 'active' | 'suspended';
    /** Preview models that the account has opted in to. */
    readonly preview_models: readonly string[];
  };
  readonly role: Role;
  /** May use the operator pages. */
  readonly operator: boolean;
  /** The password was set by somebody else: no other call works before it is changed. */
  readonly must_change_password: boolean;
  /** Origin of `/v1`, if it is configured. */
  readonly api_url: string | null;
  /** Names of the gateway's cells, for operators; otherwise empty. */
  readonly cells: readonly string[];
}

export const logIn = (email: string, password: string): Promise<void> =>
  enter('auth/login', { email, password });

export const signUp = (registration: {
  email: string;
  password: string;
  name: string;
  invitation?: string;
}): Promise<void> => enter('auth/register', registration);

/** Who may register an account. */
export type Registration = 'open' | 'invite' | 'off';

export async function getRegistration(): Promise<Registration> {
  const answer = await exchange({ method: 'GET', path: 'auth/registration' });
  return (await readJson<{ registration: Registration }>(answer)).registration;
}

async function enter(path: string, body: object): Promise<void> {
  const answer = await exchange({ method: 'POST', path, body });
  loginToken.store((await readJson<{ token: string }>(answer)).token);
}

/** Ends the login in this browser even if the gateway can't be reached. */
export async function logOut(): Promise<void> {
  try {
    await apiPost('auth/logout');
  } finally {
    loginToken.logOut();
  }
}

export const changePassword = (password: string, newPassword: string) =>
  apiPost<{ id: string; changed: true }>('auth/password', { password, new_password: newPassword });

export const getMe = () => apiGet<Me>('auth/me');
