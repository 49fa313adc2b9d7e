import { GatewayError, type RateFigures } from '@gateway/proto';
import type { CallToAdmit } from '../domain/admission';
import type { KeyHistory } from '../domain/rate-history';
import type {
  CallToRate,
  RateCorrection,
  RateLimiter,
  RateOutcome,
  TakenPlace,
} from '../domain/rate-limiter';
import { argumentsOf } from './rate-changes';
import {
  figure,
  groupByKey,
  type KeyCalls,
  limit,
  needsOf,
  readAnswer,
  readLeft,
  sumsOf,
} from './rate-figures';
import {
  adjustScript,
  giveBackScript,
  REDIS_CLOCK,
  seedScript,
  takeAllScript,
  takeScript,
} from './rate-scripts';
import { type RedisConnection, type RedisScript, redisScript } from './redis';

export interface RedisRatesOptions {
  readonly redis: Pick<RedisConnection, 'life' | 'run' | 'distrust'>;
  /** Begins a new generation of these keys' rates and tells what they admitted in the last minute. */
  recall(keyIds: readonly string[]): Promise<readonly KeyHistory[]>;
  readonly onRebuilt?: (keys: number) => void;
  readonly onFailed?: (error: unknown) => void;
  readonly timeoutMs?: number;
  /** Lua expression of the current second. */
  readonly clock?: string;
}

type ScriptName = 'takeAll' | 'take' | 'giveBack' | 'adjust' | 'seed';

/** An answer of the limiter. */
const TIMEOUT_MS = 750;

/** The rates of each key in one hash of Redis, moved on by one script. */
export class RedisRates implements RateLimiter {
  readonly #options: RedisRatesOptions;
  readonly #scripts: Readonly<Record<ScriptName, RedisScript>>;

  constructor(options: RedisRatesOptions) {
    this.#options = options;
    const clock = options.clock ?? REDIS_CLOCK;
    this.#scripts = {
      takeAll: redisScript(takeAllScript(clock)),
      take: redisScript(takeScript(clock)),
      giveBack: redisScript(giveBackScript(clock)),
      adjust: redisScript(adjustScript(clock)),
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

  async giveBack(taken: readonly TakenPlace[]): Promise<ReadonlyMap<string, RateFigures>> {
    const left = new Map<string, RateFigures>();
    const giveBack = async ([keyId, of]: [string, TakenPlace[]]) => {
      const changes = of.map(({ place }) => ({ place, requests: 1, tokens: place.tokens }));
      const answer = await this.#run('giveBack', keyId, argumentsOf(changes));
      if (answer.length > 0) left.set(keyId, readLeft(of[0]!.terms, answer));
    };
    await this.#ifInTime(Promise.all([...Map.groupBy(taken, ({ place }) => place.keyId)].map(giveBack)));
    return left;
  }

  async correct(corrections: readonly RateCorrection[]): Promise<void> {
    const changes = corrections
      .map((place) => ({ place, requests: 0, tokens: place.tokens - place.usedTokens }))
      .filter(({ tokens }) => tokens !== 0n);
    const byKey = Map.groupBy(changes, ({ place }) => place.keyId);
    const adjust = ([keyId, of]: [string, typeof changes]) => this.#run('adjust', keyId, argumentsOf(of));
    await this.#ifInTime(Promise.all([...byKey].map(adjust)));
  }

  /** Answers the calls of the keys that Redis knows. */
  async #takeKnown(keys: readonly KeyCalls[], outcomes: Map<CallToAdmit, RateOutcome>): Promise<void> {
    // In one turn, so that the client sends them as one.
    const answers = await Promise.all(keys.map((key) => this.#takeOf(key)));
    for (const [i, answer] of answers.entries()) {
      if (answer.length > 0) readAnswer(keys[i]!, answer, outcomes);
    }
  }

  async #takeOf({ keyId, terms, calls }: KeyCalls): Promise<readonly number[]> {
    const sums = [terms.generation, limit(terms.rpm), limit(terms.tpm), ...sumsOf(calls)];
    const all = await this.#run('takeAll', keyId, sums);
    return all.length > 0 ? all : this.#run('take', keyId, [...sums, needsOf(calls)]);
  }

  async #seed(keyIds: readonly string[]): Promise<void> {
    const histories = await this.#options.recall(keyIds);
    await Promise.all(
      histories.map(({ keyId, generation, seconds }) =>
        this.#run('seed', keyId, [
          generation,
          ...seconds.flatMap(({ age, requests, tokens }) => [age, figure(requests), figure(tokens)]),
        ]),
      ),
    );
    this.#options.onRebuilt?.(histories.length);
  }

  /** Undefined when the work was done in time, else why not. */
  async #ifInTime(work: Promise<unknown>): Promise<{ readonly cause: unknown } | undefined> {
    try {
      await this.#inTime(work);
      return undefined;
    } catch (cause) {
      this.#options.onFailed?.(cause);
      return { cause };
    }
  }

  /** Books are of one life of one server: what another brought along may be older than it looks. */
  async #run(
    script: ScriptName,
    keyId: string,
    args: readonly (string | number | bigint)[],
  ): Promise<readonly number[]> {
    const { redis } = this.#options;
    if (redis.life === undefined) throw new Error('redis is away');
    return redis.run(this.#scripts[script], `rates:${redis.life}:{${keyId}}`, args.map(String));
  }

  async #inTime(work: Promise<unknown>): Promise<void> {
    const { redis, timeoutMs = TIMEOUT_MS } = this.#options;
    let timer: NodeJS.Timeout | undefined;
    let giveUpSoon: NodeJS.Immediate | undefined;
    const late = new Promise<never>((_, reject) => {
      const giveUp = () => {
        redis.distrust();
        reject(new Error(`rates were not known within ${timeoutMs} ms`));
      };
      // If it was this process that stood still, the answer is there and wants to be read first.
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

const unknownRates = (cause: unknown): RateOutcome => ({
  taken: false,
  error: new GatewayError('internal_error', { cause }),
});
