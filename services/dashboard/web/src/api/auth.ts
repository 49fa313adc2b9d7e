import { apiGet, apiPost } from './client';
import { loginToken } from './login-token';

export type Role = 'viewer' | 'member' | 'owner';

export interface Me {
  readonly user: { readonly id: string; readonly email: string; readonly name: string };
  readonly account: { readonly id: string; readonly name: string; readonly status: 'active' | 'suspended' };
  readonly role: Role;
  /** Runs the gateway. */
  readonly operator: boolean;
  /** Origin of `/v1`, if the gateway was told. */
  readonly api_url: string | null;
}

interface TokenAnswer {
  readonly token: string;
  readonly expires_at: string;
}

export async function logIn(email: string, password: string): Promise<void> {
  loginToken.keep((await apiPost<TokenAnswer>('auth/login', { email, password })).token);
}

export async function signUp(registration: { email: string; password: string; name: string }): Promise<void> {
  loginToken.keep((await apiPost<TokenAnswer>('auth/register', registration)).token);
}

/** Ends the login here whatever the gateway says. */
export async function logOut(): Promise<void> {
  try {
    await apiPost('auth/logout');
  } finally {
    loginToken.forget();
  }
}

export async function renewLogin(): Promise<void> {
  const before = loginToken.current;
  const { token } = await apiPost<TokenAnswer>('auth/refresh');
  // Logged out, or in as someone else, in the meantime.
  if (loginToken.current?.token === before?.token) loginToken.keep(token);
}

export const changePassword = (password: string, newPassword: string) =>
  apiPost<{ id: string; changed: true }>('auth/password', { password, new_password: newPassword });

export const getMe = () => apiGet<Me>('auth/me');
