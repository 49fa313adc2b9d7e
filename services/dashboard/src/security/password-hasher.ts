import { GatewayError } from '@gateway/errors';
import { hash, type Options, verify } from '@node-rs/argon2';
import { WorkQueue } from './work-queue';

/** Argon2id with 19 MiB and two passes, the least that OWASP recommends. */
const ARGON2: Options = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Each hash takes about 20 ms of a core and 19 MiB; more at once would starve everything else. */
const CONCURRENCY = 2;
const MAX_WAITING = 64;
/** Of one address: many people may share one, but a flood from it leaves places to the others. */
const MAX_WAITING_PER_ADDRESS = 16;
const BUSY_RETRY_SECONDS = 2;

export class PasswordHasher {
  readonly #queue = new WorkQueue({
    concurrency: CONCURRENCY,
    maxWaiting: MAX_WAITING,
    maxWaitingPerParty: MAX_WAITING_PER_ADDRESS,
  });
  #decoy: Promise<string> | undefined;

  /** Throws `too_many_attempts` when too many wait, in all or of this address; so does `verify`. */
  hash(password: string, address: string): Promise<string> {
    return this.#work(address, () => hash(password.normalize('NFKC'), ARGON2));
  }

  /** Takes as long for a user that does not exist (no stored hash), so that time does not tell who does. */
  async verify(storedHash: string | undefined, password: string, address: string): Promise<boolean> {
    this.#decoy ??= hash('nobody has this password', ARGON2);
    const target = storedHash ?? (await this.#decoy);
    const matches = await this.#work(address, () => verify(target, password.normalize('NFKC')));
    return matches && storedHash !== undefined;
  }

  #work<T>(address: string, job: () => Promise<T>): Promise<T> {
    const result = this.#queue.run(address, job);
    if (result) return result;
    throw new GatewayError('too_many_attempts', { retryAfterSeconds: BUSY_RETRY_SECONDS });
  }
}
