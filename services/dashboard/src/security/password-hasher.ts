import { GatewayError } from '@gateway/proto';
import { hash, type Options, verify } from '@node-rs/argon2';
import { WorkQueue } from './work-queue';

/** Argon2id with 19 MiB and two passes, the least that OWASP recommends. */
const ARGON2: Options = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Each hash takes about 20 ms of a core and 19 MiB; more at once would starve everything else. */
const CONCURRENCY = 2;
const MAX_WAITING = 64;
const BUSY_RETRY_SECONDS = 2;

export class PasswordHasher {
  readonly #queue = new WorkQueue(CONCURRENCY, MAX_WAITING);
  #decoy: Promise<string> | undefined;

  hash(password: string): Promise<string> {
    return this.#work(() => hash(password.normalize('NFKC'), ARGON2));
  }

  /** Takes as long for a user that does not exist (no stored hash), so that time does not tell who does. */
  async verify(storedHash: string | undefined, password: string): Promise<boolean> {
    this.#decoy ??= hash('nobody has this password', ARGON2);
    const target = storedHash ?? (await this.#decoy);
    const matches = await this.#work(() => verify(target, password.normalize('NFKC')));
    return matches && storedHash !== undefined;
  }

  #work<T>(job: () => Promise<T>): Promise<T> {
    const result = this.#queue.run(job);
    if (result) return result;
    throw new GatewayError('too_many_attempts', { retryAfterSeconds: BUSY_RETRY_SECONDS });
  }
}
