import { GatewayError, type RateFigures } from '@gateway/errors';
import type { CallToAdmit } from '../../reserve/rules/admission';
import type { KeyHistory } from '../rules/rate-history';
import type {
  CallToRate,
  RateCorrection,
  RateLimiter,
  RateOutcome,
  RateReport,
  RateUse,
  TakenReservation,
} from '../rules/rate-limiter';
import {
  figure,
  groupByKey,
  type KeyCalls,
  limit,
  needsOf,
  readAnswer,
  readLeft,
  sum,
  sumsOf,
} from './rate-script-figures';
import { type RedisConnection, type RedisScript, redisScript } from './redis-connection';
import {
  countScript,
  FINAL_SEQUENCE,
  REDIS_CLOCK,
  releaseScript,
  seedScript,
  takeScript,
} from './sliding-window-scripts';

export interface RedisRatesOptions {
  readonly redis: Pick<RedisConnection, 'serverOf'>;
  /** Begins a new generation of these keys' rates and returns what they admitted in the last minute. */
  recall(keyIds: readonly string[]): Promise<readonly KeyHistory[]>;
  readonly onRebuilt?: (keys: number) => void;
  readonly onFailed?: (error: unknown) => void;
  readonly timeoutMs?: number;
  /** Lua expression of the current time in milliseconds. */
  readonly clock?: string;
}

type ScriptName = 'take' | 'release' | 'count' | 'seed';

/** Time to wait for the scripts. */
const TIMEOUT_MS = 750;

interface RateChange extends RateUse {
  readonly sequence: number;
  /** Whether Redis keeps a record of the call's last report. */
  readonly isRemembered: boolean;
}

/** Keeps the rates of each key in one Redis hash, updated by scripts. */
export class RedisRates implements RateLimiter {
  readonly #options: RedisRatesOptions;
  readonly #scripts: Readonly<Record<ScriptName, RedisScript>>;

  constructor(options: RedisRatesOptions) {
    this.#options = options;
    const clock = options.clock ?? REDIS_CLOCK;
    this.#scripts = {
      take: redisScript(takeScript(clock)),
      release: redisScript(releaseScript(clock)),
      count: redisScript(countScript(clock)),
      seed: redisScript(seedScript(clock)),
    };
  }

  async take(calls: readonly CallToRate[]): Promise<readonly (RateOutcome | undefined)[]> {
    const outcomes = new Map<CallToAdmit, RateOutcome>();
    const failed = await this.#forKeys(byKeyId(groupByKey(calls)), async (key) => {
      const answer = await this.#takeOf(key);
      if (answer.length > 0) readAnswer(key, answer, outcomes);
    });
    return calls.map(
      ({ call }) =>
        outcomes.get(call) ?? (failed.has(call.keyId) ? unknownRates(failed.get(call.keyId)) : undefined),
    );
  }

  async rebuild(keyIds: readonly string[]): Promise<void> {
    const recalled = this.#options.recall(keyIds);
    const histories = recalled.then((all) => byKeyId(all));
    const failed = await this.#forKeys(new Map(keyIds.map((keyId) => [keyId, keyId])), async (keyId) => {
      const history = (await histories).get(keyId);
      if (history) await this.#seed(history);
    });
    const rebuilt = keyIds.length - failed.size;
    if (rebuilt > 0) this.#options.onRebuilt?.(rebuilt);
  }

  async release(taken: readonly TakenReservation[]): Promise<ReadonlyMap<string, RateFigures>> {
    const left = new Map<string, RateFigures>();
    const byKey = Map.groupBy(taken, ({ reservation }) => reservation.keyId);
    await this.#forKeys(byKey, async (of, keyId) => {
      const answer = await this.#run('release', [keyId], perBucket(of));
      if (answer.length > 0) left.set(keyId, readLeft(of[0]!.limits, answer));
    });
    return left;
  }

  async correct(corrections: readonly RateCorrection[]): Promise<void> {
    const changes = corrections
      .filter(({ streamed, tokens, usedTokens }) => streamed || tokens !== usedTokens)
      .map((use) => ({ ...use, sequence: FINAL_SEQUENCE, isRemembered: use.streamed }));
    await this.#count(changes);
  }

  async report(reports: readonly RateReport[]): Promise<void> {
    await this.#count(reports.map((use) => ({ ...use, isRemembered: true })));
  }

  async #count(changes: readonly RateChange[]): Promise<void> {
    const byKey = Map.groupBy(changes, ({ keyId }) => keyId);
    await this.#forKeys(byKey, async (of, keyId) => {
      const remembered = of.filter(({ isRemembered }) => isRemembered);
      const records = new Map(remembered.map((use, i) => [use, i + 2]));
      const args = of.flatMap((use) => [
        ...[records.get(use) ?? 0, use.generation, use.bucket],
        ...[figure(use.tokens), use.sequence, figure(use.usedTokens)],
      ]);
      await this.#run('count', [keyId, ...remembered.map(({ requestId }) => requestId)], args);
    });
  }

  async #takeOf(key: KeyCalls): Promise<readonly number[]> {
    const { keyId, limits } = key;
    const sums = [limits.generation, limit(limits.rpm), limit(limits.tpm), ...sumsOf(key)];
    return this.#run('take', [keyId], [...sums, needsOf(key)]);
  }

  async #seed({ keyId, generation, entries }: KeyHistory): Promise<void> {
    const past = entries.flatMap(({ ageMs, requests, tokens }) => [ageMs, figure(requests), figure(tokens)]);
    await this.#run('seed', [keyId], [generation, ...past]);
  }

  /**
   * Works on all keys at once, in one turn, so that the client pipelines the commands. Returns the keys for which that failed or
   * took too long, with the reason: a server that does not answer affects only the keys that it has.
   */
  async #forKeys<T>(
    keys: ReadonlyMap<string, T>,
    work: (item: T, keyId: string) => Promise<void>,
  ): Promise<ReadonlyMap<string, unknown>> {
    const failed = new Map<string, unknown>();
    const waiting = new Set(keys.keys());
    const finish = async ([keyId, item]: [string, T]) => {
      try {
        await work(item, keyId);
      } catch (error) {
        failed.set(keyId, error);
      }
      waiting.delete(keyId);
    };
    const { redis, timeoutMs = TIMEOUT_MS } = this.#options;
    if (!(await isInTime(Promise.all([...keys].map(finish)), timeoutMs))) {
      for (const server of new Set([...waiting].map((keyId) => redis.serverOf(keyId))))
        server?.suspendUntilPing();
      const late = new Error(`rates were not known within ${timeoutMs} ms`);
      for (const keyId of waiting) failed.set(keyId, late);
    }
    const [failure] = failed;
    if (failure) this.#options.onFailed?.(failure[1]);
    return failed;
  }

  /** Rates belong to one run of one server: data that another one brought along may be outdated. */
  async #run(
    script: ScriptName,
    [keyId, ...others]: readonly [string, ...string[]],
    args: readonly (string | number | bigint)[],
  ): Promise<readonly number[]> {
    const server = this.#options.redis.serverOf(keyId);
    if (server?.runId === undefined) throw new Error('redis is not connected');
    const book = ratesKey(server.runId, keyId);
    const keys = [book, ...others.map((requestId) => `${book}:${requestId}`)];
    return server.run(this.#scripts[script], keys, args.map(String));
  }
}

/** Returns whether the work, which does not reject, has ended within that time. */
async function isInTime(work: Promise<unknown>, timeoutMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  let giveUpSoon: NodeJS.Immediate | undefined;
  const late = new Promise<false>((resolve) => {
    // If this process was suspended, the answer is waiting to be read.
    timer = setTimeout(() => {
      giveUpSoon = setImmediate(resolve, false);
    }, timeoutMs);
  });
  try {
    return await Promise.race([work.then(() => true as const), late]);
  } finally {
    clearTimeout(timer);
    clearImmediate(giveUpSoon);
  }
}

const byKeyId = <T extends { readonly keyId: string }>(items: readonly T[]): Map<string, T> =>
  new Map(items.map((item) => [item.keyId, item]));

/**
 * Key of a hash of rates. The number is the version of its format: instances of different versions never share rates, and
 * each rebuilds its own from the holds when the other has admitted calls.
 */
export const ratesKey = (runId: string | undefined, keyId: string): string => `rates2:${runId}:{${keyId}}`;

/** Calls that are released: the amounts for one bucket are summed. */
function perBucket(taken: readonly TakenReservation[]): (number | bigint)[] {
  const buckets = Map.groupBy(taken, ({ reservation }) => `${reservation.generation} ${reservation.bucket}`);
  return [...buckets.values()].flatMap((of) => {
    const { generation, bucket } = of[0]!.reservation;
    return [generation, bucket, of.length, sum(of.map(({ reservation }) => figure(reservation.tokens)))];
  });
}

const unknownRates = (cause: unknown): RateOutcome => ({
  taken: false,
  error: new GatewayError('internal_error', { cause }),
});
