import { randomUUIDv7 } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { GatewayError } from '@gateway/errors';
import type { Logger } from '@gateway/process';
import { hasOperator } from '../store/operators';
import { findUserByEmail } from '../store/users';
import { type RegisterDependencies, registerUser } from './register-user';

const RETRY_MIN_MS = 100;
const RETRY_MAX_MS = 5_000;

/**
 * Creates the operator if the gateway has none who has changed the first password, retrying while billing or the database can't
 * be reached. A user who registered with that email is not promoted: anyone could have taken it.
 */
export class FirstOperator {
  readonly #deps: RegisterDependencies;
  readonly #operator: { email: string; password: string };
  readonly #log: Logger;
  readonly #stop = new AbortController();
  #isDone = false;
  #work: Promise<void>;

  constructor(deps: RegisterDependencies, operator: { email: string; password: string }, log: Logger) {
    this.#deps = deps;
    this.#operator = operator;
    this.#log = log;
    this.#work = this.#ensure();
  }

  /** The operator exists, or can't be created. */
  get isDone(): boolean {
    return this.#isDone;
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#work;
  }

  async #ensure(): Promise<void> {
    for (
      let delayMs = RETRY_MIN_MS;
      !this.#stop.signal.aborted;
      delayMs = Math.min(delayMs * 2, RETRY_MAX_MS)
    ) {
      try {
        await this.#ensureOnce();
        this.#isDone = true;
        return;
      } catch (error) {
        this.#log.warn({ err: GatewayError.from(error).cause ?? error }, 'first operator not created yet');
      }
      await setTimeout(delayMs, undefined, { signal: this.#stop.signal }).catch(() => {});
    }
  }

  async #ensureOnce(): Promise<void> {
    const { email, password } = this.#operator;
    // Otherwise an operator who was removed would come back with the old password.
    if (await hasOperator(this.#deps.pool)) return;
    const known = await findUserByEmail(this.#deps.pool, email);
    if (known) {
      this.#log.error(
        { userId: known.user.id },
        'ADMIN_EMAIL belongs to a user already, who is not made an operator',
      );
      return;
    }
    const caller = { requestId: randomUUIDv7(), signal: this.#stop.signal };
    try {
      await registerUser(this.#deps, caller, {
        email,
        password,
        name: 'Operator',
        operator: true,
        address: '',
      });
      this.#log.info('first operator created');
    } catch (error) {
      // Another instance has created it.
      if (GatewayError.from(error).code !== 'email_taken') throw error;
    }
  }
}
