import { GatewayError } from '@gateway/errors';
import type { Pool } from '@gateway/postgres';
import { z } from 'zod';
import { checkPassword, type PasswordDependencies } from '../actions/check-password';
import { openSession } from '../actions/open-session';
import { registerUser } from '../actions/register-user';
import type { SecurityEvents } from '../actions/security-events';
import type { Billing } from '../clients/billing';
import { normaliseEmail } from '../domain/email';
import { passwordProblem } from '../domain/password';
import { refuseIfMany } from '../domain/refuse-if-many';
import type { User } from '../domain/user';
import type { LoginTokens } from '../security/login-tokens';
import type { PasswordHasher } from '../security/password-hasher';
import { type AttemptLimit, takeAttempt } from '../store/attempts';
import { deleteOtherSessions, deleteSession, renewSession } from '../store/sessions';
import { updatePassword } from '../store/users';
import { loggedOutAnswer, meAnswer, passwordChangedAnswer, registrationAnswer, tokenAnswer } from './answers';
import type { Call, Endpoint, EndpointDoc, UserCall, UserEndpoint } from './endpoint';
import { label, noFields, parseBody } from './parse-input';
import { toAccountJson, toTokenJson } from './to-json';

export interface AuthDependencies {
  readonly pool: Pool;
  readonly billing: Billing;
  readonly hasher: PasswordHasher;
  readonly tokens: LoginTokens;
  readonly events: SecurityEvents;
  /** Origin of `/v1`, if it is configured. */
  readonly apiUrl: string | undefined;
  readonly limits: PasswordDependencies['limits'] & { readonly registerPerAddress: AttemptLimit };
}

export const emailAddress = z.string().transform((email, context) => {
  const normal = normaliseEmail(email);
  if (normal !== undefined) return normal;
  context.addIssue('not an email address');
  return z.NEVER;
});

const registerBody = z.strictObject({ email: emailAddress, password: z.string().min(1), name: label(200) });

/** Any email: an unknown one is refused as such, whatever its format. */
const given = z.string().min(1).max(1_000);

const passwordBody = z.strictObject({ password: given, new_password: z.string().min(1) });

const loginBody = z.strictObject({ email: given, password: given });

export function authEndpoints(deps: AuthDependencies): Endpoint[] {
  const anyone = (
    path: string,
    handle: (deps: AuthDependencies, call: Call) => Promise<unknown>,
    doc: EndpointDoc,
  ): Endpoint => ({ method: 'POST', path, access: 'public', handle: (call) => handle(deps, call), doc });
  const user = (
    [method, path]: readonly ['GET' | 'POST', string],
    handle: (deps: AuthDependencies, call: UserCall) => Promise<unknown>,
    doc: EndpointDoc,
  ): UserEndpoint => ({ method, path, access: 'viewer', handle: (call) => handle(deps, call), doc });
  return [
    anyone('/auth/register', register, {
      summary: 'Create an account and its owner, and log in',
      body: registerBody,
      answer: registrationAnswer,
      codes: ['email_taken', 'too_many_attempts'],
    }),
    anyone('/auth/login', login, {
      summary: 'Log in',
      body: loginBody,
      answer: tokenAnswer,
      codes: ['invalid_credentials', 'too_many_attempts'],
    }),
    user(['GET', '/auth/me'], me, { summary: 'Retrieve the current user', answer: meAnswer }),
    {
      ...user(['POST', '/auth/refresh'], refresh, {
        summary:
          'Refresh a token that is valid or has expired within 12 hours, up to seven days after the login. Each token can be refreshed once; a second attempt ends the login',
        answer: tokenAnswer,
      }),
      unaudited: true,
      renewsLogin: true,
    },
    {
      ...user(['POST', '/auth/logout'], logout, {
        summary: 'Log out: end this login and all of its tokens',
        answer: loggedOutAnswer,
      }),
      unaudited: true,
    },
    user(['POST', '/auth/password'], changePassword, {
      summary: 'Change your password and end your other logins',
      body: passwordBody,
      answer: passwordChangedAnswer,
      codes: ['invalid_credentials', 'too_many_attempts'],
    }),
  ];
}

const originOf = ({ context, clientIp }: Call) => ({ requestId: context.requestId, clientIp });

const actorOf = ({ id, email, accountId }: User) => ({ id, email, accountId, byOperator: false });

function refuseWeakPassword(field: string, password: string, email: string): void {
  const problem = passwordProblem(password, email);
  if (problem) throw new GatewayError('invalid_request', { detail: `${field}: ${problem}` });
}

async function register(deps: AuthDependencies, call: Call) {
  const { context, address, body } = call;
  const registration = parseBody(registerBody, body);
  refuseWeakPassword('password', registration.password, registration.email);
  refuseIfMany(await takeAttempt(deps.pool, deps.limits.registerPerAddress, address));
  const user = await registerUser(deps, context, { ...registration, operator: false, address });
  const token = await openSession(deps, user);
  const { id: actorId, accountId } = user;
  deps.events.log({ event: 'user.registered', actorId, accountId }, originOf(call));
  return {
    ...toTokenJson(token),
    account: { id: user.accountId },
    user: { id: user.id, email: user.email, name: user.name },
  };
}

async function login(deps: AuthDependencies, call: Call) {
  const { address, body } = call;
  const { email: given, password } = parseBody(loginBody, body);
  const email = normaliseEmail(given) ?? given;
  const origin = originOf(call);
  const user = await checkPassword(deps, { email, password, address, origin });
  const token = await openSession(deps, user);
  await deps.events.audit({ event: 'login.succeeded' }, actorOf(user), origin);
  return toTokenJson(token);
}

async function me({ billing, apiUrl }: AuthDependencies, { context, user }: UserCall) {
  const account = await billing.getAccount(context, user.accountId);
  const { id, name, status, preview_models } = toAccountJson(account);
  return {
    user: { id: user.id, email: user.email, name: user.name },
    account: { id, name, status, preview_models },
    role: user.role,
    operator: user.operator,
    api_url: apiUrl ?? null,
  };
}

/** Each token can be refreshed once. A second refresh means that somebody else has a copy of it: the login ends. */
async function refresh({ pool, tokens, events }: AuthDependencies, call: UserCall) {
  const { user, session, tokenRenewals, body } = call;
  parseBody(noFields, body ?? {});
  const renewals = await renewSession(pool, session.id, tokenRenewals);
  if (renewals === undefined) {
    await events.audit({ event: 'token.reused' }, actorOf(user), originOf(call));
    throw new GatewayError('invalid_api_key', {
      detail: 'this token has been refreshed already; log in again',
    });
  }
  return toTokenJson(await tokens.issue(user, { ...session, renewals }, Date.now()));
}

/** Ends every token of this login at once. */
async function logout({ pool }: AuthDependencies, { session, body }: UserCall) {
  parseBody(noFields, body ?? {});
  await deleteSession(pool, session.id);
  return { logged_out: true };
}

/** Ends the user's other logins: one of them may belong to somebody who knows the old password. */
async function changePassword(deps: AuthDependencies, call: UserCall) {
  const { user, session, address, body } = call;
  const { pool, hasher } = deps;
  const { password, new_password } = parseBody(passwordBody, body);
  refuseWeakPassword('new_password', new_password, user.email);
  await checkPassword(deps, { email: user.email, password, address, origin: originOf(call) });
  await updatePassword(pool, user.id, await hasher.hash(new_password, address));
  await deleteOtherSessions(pool, user.id, session.id);
  return { id: user.id, changed: true };
}
