import { GatewayError } from '@gateway/errors';
import { FairSemaphore, SemaphoreExhausted } from '@gateway/quota';
import { hash, type Options, verify } from '@node-rs/argon2';

/** Argon2id with 19 MiB and two passes, the minimum that OWASP recommends. */
const ARGON2: Options = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Each hash takes about 20 ms of a core and 19 MiB; more concurrent ones would starve other work. */
const CONCURRENCY = 2;
const MAX_WAITING = 64;
/** Per address: many users may share one, but a flood from it leaves capacity to the others. */
const MAX_WAITING_PER_ADDRESS = 16;
const MAX_WAIT_MS = 10_000;
const BUSY_RETRY_SECONDS = 2;

export class PasswordHasher {
  readonly #hashes = new FairSemaphore({
    concurrency: CONCURRENCY,
    maxWaiting: MAX_WAITING,
    maxWaitingPerHolder: MAX_WAITING_PER_ADDRESS,
    maxWaitMs: MAX_WAIT_MS,
  });
  #decoy: Promise<string> | undefined;

  /** Throws `too_many_attempts` if too many wait, in total or from this address; so does `verify`. */
  hash(password: string, address: string): Promise<string> {
    return this.#run(address, () => hash(password.normalize('NFKC'), ARGON2));
  }

  /** Takes as long for an unknown user (no stored hash), so that the time does not reveal which users exist. */
  async verify(storedHash: string | undefined, password: string, address: string): Promise<boolean> {
    this.#decoy ??= hash('not the password of any user', ARGON2);
    const target = storedHash ?? (await this.#decoy);
    const matches = await this.#run(address, () => verify(target, password.normalize('NFKC')));
    return matches && storedHash !== undefined;
  }

  async #run<T>(address: string, job: () => Promise<T>): Promise<T> {
    try {
      return await this.#hashes.run(address, job);
    } catch (cause) {
      if (!(cause instanceof SemaphoreExhausted)) throw cause;
      throw new GatewayError('too_many_attempts', { retryAfterSeconds: BUSY_RETRY_SECONDS, cause });
    }
  }
}
