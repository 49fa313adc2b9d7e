import { GatewayError } from '@gateway/errors';
import type { Pool } from '@gateway/postgres';
import type { User } from '../domain/user';
import type { PasswordHasher } from '../security/password-hasher';
import { type AttemptLimit, forgetAttempts, giveBackAttempt, takeAttempt } from '../store/attempts';
import { findUserByEmail } from '../store/users';
import type { Origin, SecurityEvents } from './security-events';

export interface PasswordDependencies {
  readonly pool: Pool;
  readonly hasher: Pick<PasswordHasher, 'verify'>;
  readonly events: Pick<SecurityEvents, 'log' | 'audit' | 'isFirstThisHour'>;
  readonly limits: {
    /** Of wrong ones for one email from one address. */
    readonly loginPerEmail: AttemptLimit;
    /** Of wrong ones for one email from anywhere: higher, so that a stranger alone can't keep its user out. */
    readonly loginPerEmailAnywhere: AttemptLimit;
    /** Of wrong ones from one address. */
    readonly loginPerAddress: AttemptLimit;
    /** Of right ones: each costs a hash. */
    readonly loginPerUser: AttemptLimit;
  };
}

export interface GivenPassword {
  readonly email: string;
  readonly password: string;
  readonly address: string;
  readonly origin: Origin;
}

type Try = readonly [limit: AttemptLimit, subject: string];

/**
 * The user whose password this is. Throws `invalid_credentials`, which tells an unknown email and a wrong password
 * apart by nothing: not by answer, time or limit; and `too_many_attempts`. Tries are counted before the password is
 * looked at, so that many at once are, too; those that were not looked at are given back.
 */
export async function checkPassword(deps: PasswordDependencies, given: GivenPassword): Promise<User> {
  const { pool, hasher, limits } = deps;
  const { email, password, address } = given;
  const ofAddress: Try = [limits.loginPerAddress, address];
  const ofEmail: Try = [limits.loginPerEmail, `${address}\n${email}`];
  const ofEmailAnywhere: Try = [limits.loginPerEmailAnywhere, email];
  const ofUser: Try = [limits.loginPerUser, email];
  const tries = [ofAddress, ofEmail, ofEmailAnywhere, ofUser];
  await takeAll(pool, tries).catch((error: unknown) => {
    void recordLockout(deps, given);
    throw error;
  });
  let known: Awaited<ReturnType<typeof findUserByEmail>>;
  let matches: boolean;
  try {
    known = await findUser(pool, email);
    matches = await hasher.verify(known?.passwordHash, password, address);
  } catch (error) {
    await giveBack(pool, tries);
    throw error;
  }
  await giveBack(pool, known && matches ? [ofAddress, ofEmailAnywhere] : [ofUser]);
  if (!known || !matches) {
    recordFailure(deps, given, 'login.failed', known);
    throw new GatewayError('invalid_credentials');
  }
  await forgetAttempts(pool, ...ofEmail);
  return known.user;
}

const findUser = async (pool: Pool, email: string) =>
  email.includes('\0') ? undefined : await findUserByEmail(pool, email);

/**
 * In the account's audit log too where the email is a user's. That is not awaited, so that the response time does not
 * reveal whether the email exists. The email of a stranger is not logged: it may be a mistyped password.
 */
function recordFailure(
  { events }: PasswordDependencies,
  { origin }: GivenPassword,
  event: 'login.failed' | 'login.locked_out',
  known: { readonly user: User } | undefined,
): void {
  if (!known) {
    events.log({ event }, origin);
    return;
  }
  const { id, email, accountId } = known.user;
  void events.audit({ event }, { accountId, id, email, byOperator: false }, origin);
}

/** Refused tries are not limited in number: the user is looked up for one of them in an hour. */
async function recordLockout(deps: PasswordDependencies, given: GivenPassword): Promise<void> {
  const event = 'login.locked_out';
  const isFirst = deps.events.isFirstThisHour(`${event} ${given.email}`);
  const known = isFirst ? await findUser(deps.pool, given.email).catch(() => undefined) : undefined;
  recordFailure(deps, given, event, known);
}

/** All of them, or none. */
async function takeAll(pool: Pool, tries: readonly Try[]): Promise<void> {
  for (const [i, [limit, subject]] of tries.entries()) {
    const waitSeconds = await takeAttempt(pool, limit, subject);
    if (waitSeconds === undefined) continue;
    await giveBack(pool, tries.slice(0, i));
    throw new GatewayError('too_many_attempts', { retryAfterSeconds: waitSeconds });
  }
}

async function giveBack(pool: Pool, tries: readonly Try[]): Promise<void> {
  for (const [limit, subject] of tries) await giveBackAttempt(pool, limit, subject);
}
