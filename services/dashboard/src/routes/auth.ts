import { GatewayError } from '@gateway/errors';
import type { Pool } from '@gateway/postgres';
import { checkPassword, type PasswordDependencies } from '../actions/check-password';
import { openSession } from '../actions/open-session';
import { registerUser } from '../actions/register-user';
import type { SecurityEvents } from '../actions/security-events';
import {
  loggedOutResponse,
  loginBody,
  loginResponse,
  meResponse,
  passwordBody,
  passwordChangedResponse,
  registerBody,
  registrationModeResponse,
  registrationResponse,
  tokenResponse,
} from '../api/auth';
import type { Billing } from '../clients/billing';
import { normaliseEmail } from '../domain/email';
import { passwordProblem } from '../domain/password';
import { throwIfLimited } from '../domain/throw-if-limited';
import type { User } from '../domain/user';
import type { LoginTokens } from '../security/login-tokens';
import type { PasswordHasher } from '../security/password-hasher';
import { type AttemptLimit, countAttempt } from '../store/attempts';
import { deleteOtherSessions, deleteSession, renewSession } from '../store/sessions';
import { updatePassword } from '../store/users';
import { type Call, type Endpoint, endpoint, publicEndpoint } from './endpoint';
import { toAccountJson, toTokenJson } from './to-json';

export interface AuthDependencies {
  readonly pool: Pool;
  readonly billing: Billing;
  readonly hasher: PasswordHasher;
  readonly tokens: LoginTokens;
  readonly events: SecurityEvents;
  /** Origin of `/v1`, if it is configured. */
  readonly apiUrl: string | undefined;
  /** Who may register an account. */
  readonly registration: 'open' | 'invite' | 'off';
  readonly limits: PasswordDependencies['limits'] & { readonly registerPerAddress: AttemptLimit };
}

/** For users who have not changed their first password yet. */
const BEFORE_PASSWORD_CHANGE = { beforePasswordChange: true } as const;

export function authEndpoints(deps: AuthDependencies): Endpoint[] {
  const { pool, billing, hasher, tokens, events, limits, apiUrl, registration } = deps;
  return [
    publicEndpoint('POST /auth/register', {
      summary: 'Create an account and its owner, and log in',
      body: registerBody,
      response: registrationResponse,
      codes: ['email_taken', 'too_many_attempts'],
      async handle(call) {
        const { context, address } = call;
        const { invitation, ...body } = call.body;
        if (registration === 'off') throw new GatewayError('not_found');
        if (registration === 'invite' && !invitation)
          throw new GatewayError('missing_parameter', { param: 'invitation' });
        refuseWeakPassword('password', body.password, body.email);
        throwIfLimited(await countAttempt(pool, limits.registerPerAddress, address));
        const user = await registerUser(deps, context, {
          ...body,
          ...(registration === 'invite' && invitation && { invitation }),
          operator: false,
          address,
        });
        const token = await openSession(deps, user);
        const { id, email, name, accountId } = user;
        events.log({ event: 'user.registered', actorId: id, accountId }, originOf(call));
        return { ...toTokenJson(token), account: { id: accountId }, user: { id, email, name } };
      },
    }),
    publicEndpoint('GET /auth/registration', {
      summary: 'Retrieve who may register an account',
      response: registrationModeResponse,
      handle: async () => ({ registration }),
    }),
    publicEndpoint('POST /auth/login', {
      summary: 'Log in',
      body: loginBody,
      response: loginResponse,
      codes: ['invalid_credentials', 'too_many_attempts'],
      async handle(call) {
        const { address, body } = call;
        const email = normaliseEmail(body.email) ?? body.email;
        const origin = originOf(call);
        const user = await checkPassword(deps, { email, password: body.password, address, origin });
        const token = await openSession(deps, user);
        await events.audit({ event: 'login.succeeded' }, actorOf(user), origin);
        return { ...toTokenJson(token), must_change_password: user.mustChangePassword };
      },
    }),
    endpoint(
      'viewer',
      'GET /auth/me',
      {
        summary: 'Retrieve the current user',
        response: meResponse,
        async handle({ context, user }) {
          const account = await billing.getAccount(context, user.accountId);
          const { id, name, status, preview_models } = toAccountJson(account);
          return {
            user: { id: user.id, email: user.email, name: user.name },
            account: { id, name, status, preview_models },
            role: user.role,
            operator: user.operator,
            must_change_password: user.mustChangePassword,
            api_url: apiUrl ?? null,
            cells: user.operator ? billing.cellNames : [],
          };
        },
      },
      BEFORE_PASSWORD_CHANGE,
    ),
    endpoint(
      'viewer',
      'POST /auth/refresh',
      {
        summary:
          'Refresh a token that is valid or has expired within 12 hours, up to seven days after the login. Each token can be refreshed once; a second attempt ends the session',
        response: tokenResponse,
        // A second refresh means that the token was copied: the session ends.
        async handle(call) {
          const { user, session, tokenRenewals } = call;
          const renewals = await renewSession(pool, session.id, tokenRenewals);
          if (renewals === undefined) {
            await events.audit({ event: 'token.reused' }, actorOf(user), originOf(call));
            throw new GatewayError('invalid_api_key', {
              detail: 'this token has been refreshed already; log in again',
            });
          }
          return toTokenJson(await tokens.issue(user, { ...session, renewals }, Date.now()));
        },
      },
      { unaudited: true, renewsLogin: true },
    ),
    endpoint(
      'viewer',
      'POST /auth/logout',
      {
        summary: 'Log out: end this session and all of its tokens',
        response: loggedOutResponse,
        async handle({ session }) {
          await deleteSession(pool, session.id);
          return { logged_out: true as const };
        },
      },
      { unaudited: true, ...BEFORE_PASSWORD_CHANGE },
    ),
    endpoint(
      'viewer',
      'POST /auth/password',
      {
        summary: 'Change your password and end your other sessions',
        body: passwordBody,
        response: passwordChangedResponse,
        codes: ['invalid_credentials', 'too_many_attempts'],
        // Another session may belong to a person who knows the old password.
        async handle(call) {
          const { user, session, address, body } = call;
          const { password, new_password } = body;
          refuseWeakPassword('new_password', new_password, user.email);
          if (user.mustChangePassword && new_password === password)
            throw new GatewayError('invalid_request', { detail: 'new_password: the same as before' });
          await checkPassword(deps, { email: user.email, password, address, origin: originOf(call) });
          await updatePassword(pool, user.id, await hasher.hash(new_password, address));
          await deleteOtherSessions(pool, user.id, session.id);
          return { id: user.id, changed: true as const };
        },
      },
      BEFORE_PASSWORD_CHANGE,
    ),
  ];
}

const originOf = ({ context, clientIp }: Pick<Call, 'context' | 'clientIp'>) => ({
  requestId: context.requestId,
  clientIp,
});

const actorOf = ({ id, email, accountId }: User) => ({ id, email, accountId, byOperator: false });

function refuseWeakPassword(field: string, password: string, email: string): void {
  const problem = passwordProblem(password, email);
  if (problem) throw new GatewayError('invalid_request', { detail: `${field}: ${problem}` });
}
