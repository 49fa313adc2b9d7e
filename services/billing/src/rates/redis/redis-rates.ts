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
import { type RedisConnection, type RedisScript, redisScript } from './redis';
import {
  countScript,
  FINAL_SEQUENCE,
  REDIS_CLOCK,
  releaseScript,
  seedScript,
  takeScript,
} from './sliding-window-scripts';

export interface RedisRatesOptions {
  readonly redis: Pick<RedisConnection, 'runId' | 'run' | 'suspendUntilPing'>;
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
    const failed = await this.#ifInTime(this.#takeKnown(groupByKey(calls), outcomes));
    return calls.map(({ call }) => outcomes.get(call) ?? (failed && unknownRates(failed.cause)));
  }

  async rebuild(keyIds: readonly string[]): Promise<void> {
    await this.#ifInTime(this.#seed(keyIds));
  }

  async release(taken: readonly TakenReservation[]): Promise<ReadonlyMap<string, RateFigures>> {
    const left = new Map<string, RateFigures>();
    const release = async ([keyId, of]: [string, TakenReservation[]]) => {
      const answer = await this.#run('release', [keyId], perBucket(of));
      if (answer.length > 0) left.set(keyId, readLeft(of[0]!.limits, answer));
    };
    await this.#ifInTime(
      Promise.all([...Map.groupBy(taken, ({ reservation }) => reservation.keyId)].map(release)),
    );
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
    const count = ([keyId, of]: [string, RateChange[]]) => {
      const remembered = of.filter(({ isRemembered }) => isRemembered);
      const records = new Map(remembered.map((use, i) => [use, i + 2]));
      const args = of.flatMap((use) => [
        ...[records.get(use) ?? 0, use.generation, use.bucket],
        ...[figure(use.tokens), use.sequence, figure(use.usedTokens)],
      ]);
      return this.#run('count', [keyId, ...remembered.map(({ requestId }) => requestId)], args);
    };
    await this.#ifInTime(Promise.all([...byKey].map(count)));
  }

  /** Answers the calls of the keys that Redis knows. */
  async #takeKnown(keys: readonly KeyCalls[], outcomes: Map<CallToAdmit, RateOutcome>): Promise<void> {
    // In one turn, so that the client pipelines them.
    const answers = await Promise.all(keys.map((key) => this.#takeOf(key)));
    for (const [i, answer] of answers.entries()) {
      if (answer.length > 0) readAnswer(keys[i]!, answer, outcomes);
    }
  }

  async #takeOf(key: KeyCalls): Promise<readonly number[]> {
    const { keyId, limits } = key;
    const sums = [limits.generation, limit(limits.rpm), limit(limits.tpm), ...sumsOf(key)];
    return this.#run('take', [keyId], [...sums, needsOf(key)]);
  }

  async #seed(keyIds: readonly string[]): Promise<void> {
    const histories = await this.#options.recall(keyIds);
    await Promise.all(
      histories.map(({ keyId, generation, entries }) =>
        this.#run(
          'seed',
          [keyId],
          [
            generation,
            ...entries.flatMap(({ ageMs, requests, tokens }) => [ageMs, figure(requests), figure(tokens)]),
          ],
        ),
      ),
    );
    this.#options.onRebuilt?.(histories.length);
  }

  /** Undefined if the work finished in time, otherwise the reason. */
  async #ifInTime(work: Promise<unknown>): Promise<{ readonly cause: unknown } | undefined> {
    try {
      await this.#inTime(work);
      return undefined;
    } catch (cause) {
      this.#options.onFailed?.(cause);
      return { cause };
    }
  }

  /** Rates belong to one run of one server: data that another one brought along may be outdated. */
  async #run(
    script: ScriptName,
    [keyId, ...others]: readonly [string, ...string[]],
    args: readonly (string | number | bigint)[],
  ): Promise<readonly number[]> {
    const { redis } = this.#options;
    if (redis.runId === undefined) throw new Error('redis is not connected');
    const book = ratesKey(redis.runId, keyId);
    const keys = [book, ...others.map((requestId) => `${book}:${requestId}`)];
    return redis.run(this.#scripts[script], keys, args.map(String));
  }

  async #inTime(work: Promise<unknown>): Promise<void> {
    const { redis, timeoutMs = TIMEOUT_MS } = this.#options;
    let timer: NodeJS.Timeout | undefined;
    let giveUpSoon: NodeJS.Immediate | undefined;
    const late = new Promise<never>((_, reject) => {
      const giveUp = () => {
        redis.suspendUntilPing();
        reject(new Error(`rates were not known within ${timeoutMs} ms`));
      };
      // If this process was suspended, the answer is waiting to be read.
      timer = setTimeout(() => {
        giveUpSoon = setImmediate(giveUp);
      }, timeoutMs);
    });
    try {
      await Promise.race([work, late]);
    } finally {
      clearTimeout(timer);
      clearImmediate(giveUpSoon);
    }
  }
}

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
