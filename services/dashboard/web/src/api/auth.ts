import type {
  LoginInput,
  Me,
  PasswordChange,
  PasswordChanged,
  Registration,
  RegistrationMode,
  SignUp,
  Token,
} from '../../../src/api/auth';
import { apiGet, apiPost } from './client';
import { exchange, readJson } from './exchange';
import { loginToken } from './login-token';

export type * from '../../../src/api/auth';
export type { Role } from '../../../src/api/fields';

export const logIn = (email: string, password: string): Promise<void> =>
  enter('auth/login', { email, password });

export const signUp = (registration: SignUp): Promise<void> => enter('auth/register', registration);

export async function getRegistration(): Promise<Registration> {
  const answer = await exchange({ method: 'GET', path: 'auth/registration' });
  return (await readJson<RegistrationMode>(answer)).registration;
}

async function enter(path: string, body: LoginInput | SignUp): Promise<void> {
  const answer = await exchange({ method: 'POST', path, body });
  loginToken.store((await readJson<Token>(answer)).token);
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
  apiPost<PasswordChanged>('auth/password', { password, new_password: newPassword } satisfies PasswordChange);

export const getMe = () => apiGet<Me>('auth/me');
