import { GatewayError } from '@gateway/errors';
import type { Pool } from '@gateway/postgres';
import type { User } from '../domain/user';
import type { PasswordHasher } from '../security/password-hasher';
import { type AttemptLimit, countAttempt, forgetAttempts, uncountAttempt } from '../store/attempts';
import { hasLoggedInFrom } from '../store/audit';
import { findUserByEmail } from '../store/users';
import type { Origin, SecurityEvents } from './security-events';

export interface PasswordDependencies {
  readonly pool: Pool;
  readonly hasher: Pick<PasswordHasher, 'verify'>;
  readonly events: Pick<SecurityEvents, 'log' | 'audit' | 'isFirstThisHour'>;
  readonly limits: {
    /** Wrong passwords for one email from one address. */
    readonly loginPerEmail: AttemptLimit;
    /** Wrong passwords for one email from anywhere: higher, so that a single stranger can't lock its user out. */
    readonly loginPerEmailAnywhere: AttemptLimit;
    /** Wrong passwords from one address. */
    readonly loginPerAddress: AttemptLimit;
    /** Correct passwords: each costs a hash. */
    readonly loginPerUser: AttemptLimit;
  };
}

export interface PasswordInput {
  readonly email: string;
  readonly password: string;
  readonly address: string;
  readonly origin: Origin;
}

type Attempt = readonly [limit: AttemptLimit, subject: string];

/**
 * Returns the user with this password. Throws `invalid_credentials` for an unknown email and for a wrong password, which
 * answer, time and limit do not distinguish; and `too_many_attempts`. Attempts are counted before the password is checked, so
 * that concurrent ones count too; attempts that were not checked are uncounted.
 */
export async function checkPassword(deps: PasswordDependencies, input: PasswordInput): Promise<User> {
  const { pool, hasher, limits } = deps;
  const { email, password, address } = input;
  const byAddress: Attempt = [limits.loginPerAddress, address];
  const byEmail: Attempt = [limits.loginPerEmail, `${address}\n${email}`];
  const byEmailAnywhere: Attempt = [limits.loginPerEmailAnywhere, email];
  const byUser: Attempt = [limits.loginPerUser, email];
  const attempts = [byAddress, byEmail, byEmailAnywhere, byUser];
  await countAll(deps, input, attempts).catch((error: unknown) => {
    void recordLockout(deps, input);
    throw error;
  });
  let known: Awaited<ReturnType<typeof findUserByEmail>>;
  let matches: boolean;
  try {
    known = await findUser(pool, email);
    matches = await hasher.verify(known?.passwordHash, password, address);
  } catch (error) {
    await uncount(pool, attempts);
    throw error;
  }
  await uncount(pool, known && matches ? [byAddress, byEmailAnywhere] : [byUser]);
  if (!known || !matches) {
    recordFailure(deps, input, 'login.failed', known);
    throw new GatewayError('invalid_credentials');
  }
  await forgetAttempts(pool, ...byEmail);
  return known.user;
}

const findUser = async (pool: Pool, email: string) =>
  email.includes('\0') ? undefined : await findUserByEmail(pool, email);

/**
 * Logs the refusal; also to the account's audit log if the email is a user's. The latter is not awaited, so that the response
 * time does not reveal whether the email exists. An unknown email is not logged: it may be a mistyped password.
 */
function recordFailure(
  { events }: PasswordDependencies,
  { origin }: PasswordInput,
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

/** The number of refused attempts is unlimited, so the user is looked up for only one of them per hour. */
async function recordLockout(deps: PasswordDependencies, input: PasswordInput): Promise<void> {
  const event = 'login.locked_out';
  const isFirst = deps.events.isFirstThisHour(`${event} ${input.email}`);
  const known = isFirst ? await findUser(deps.pool, input.email).catch(() => undefined) : undefined;
  recordFailure(deps, input, event, known);
}

/**
 * Counts all attempts, or none. Wrong passwords from anywhere don't lock a user out of an address from which they have logged in before.
 */
async function countAll(
  { pool, limits }: PasswordDependencies,
  { email, origin }: PasswordInput,
  attempts: readonly Attempt[],
): Promise<void> {
  for (const [i, [limit, subject]] of attempts.entries()) {
    const waitSeconds = await countAttempt(pool, limit, subject);
    if (waitSeconds === undefined) continue;
    if (limit === limits.loginPerEmailAnywhere && (await isKnown(pool, email, origin.clientIp))) continue;
    await uncount(pool, attempts.slice(0, i));
    throw new GatewayError('too_many_attempts', { retryAfterSeconds: waitSeconds });
  }
}

const isKnown = async (pool: Pool, email: string, address: string): Promise<boolean> =>
  !email.includes('\0') && (await hasLoggedInFrom(pool, email, address));

async function uncount(pool: Pool, attempts: readonly Attempt[]): Promise<void> {
  for (const [limit, subject] of attempts) await uncountAttempt(pool, limit, subject);
}
