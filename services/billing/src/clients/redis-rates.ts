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
import { figure, groupByKey, type KeyCalls, limit, needsOf, readAnswer, readLeft } from './rate-figures';
import { adjustScript, giveBackScript, REDIS_CLOCK, seedScript, takeScript } from './rate-scripts';
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

type ScriptName = 'take' | 'giveBack' | 'adjust' | 'seed';

/** An answer of the limiter in all, a rebuild included. */
const TIMEOUT_MS = 750;
const MAX_REBUILDS = 5;

/** The rates of each key in one hash of Redis, moved on by one script. */
export class RedisRates implements RateLimiter {
  readonly #options: RedisRatesOptions;
  readonly #scripts: Readonly<Record<ScriptName, RedisScript>>;

  constructor(options: RedisRatesOptions) {
    this.#options = options;
    const clock = options.clock ?? REDIS_CLOCK;
    this.#scripts = {
      take: redisScript(takeScript(clock)),
      giveBack: redisScript(giveBackScript(clock)),
      adjust: redisScript(adjustScript(clock)),
      seed: redisScript(seedScript(clock)),
    };
  }

  async take(calls: readonly CallToRate[]): Promise<readonly RateOutcome[]> {
    const outcomes = new Map<CallToAdmit, RateOutcome>();
    const take = async () => {
      let unknown = await this.#takeKnown(groupByKey(calls), outcomes);
      // What was rebuilt may be lost again before it is used.
      for (let tries = 0; unknown.length > 0 && tries < MAX_REBUILDS; tries++) {
        await this.#rebuild(unknown.map(({ keyId }) => keyId));
        unknown = await this.#takeKnown(unknown, outcomes);
      }
    };
    let cause: unknown;
    try {
      await this.#inTime(take());
    } catch (error) {
      cause = error;
      this.#options.onFailed?.(error);
    }
    return calls.map(({ call }) => outcomes.get(call) ?? unknownRates(cause));
  }

  async giveBack(taken: readonly TakenPlace[]): Promise<ReadonlyMap<string, RateFigures>> {
    const left = new Map<string, RateFigures>();
    const giveBack = async ([keyId, of]: [string, TakenPlace[]]) => {
      const changes = of.map(({ place }) => ({ place, requests: 1, tokens: place.tokens }));
      const answer = await this.#run('giveBack', keyId, argumentsOf(changes));
      if (answer.length > 0) left.set(keyId, readLeft(of[0]!.terms, answer));
    };
    await this.#ifInTime([...Map.groupBy(taken, ({ place }) => place.keyId)].map(giveBack));
    return left;
  }

  async correct(corrections: readonly RateCorrection[]): Promise<void> {
    const changes = corrections
      .map((place) => ({ place, requests: 0, tokens: place.tokens - place.usedTokens }))
      .filter(({ tokens }) => tokens !== 0n);
    const byKey = Map.groupBy(changes, ({ place }) => place.keyId);
    await this.#ifInTime([...byKey].map(([keyId, of]) => this.#run('adjust', keyId, argumentsOf(of))));
  }

  /** Takes for the keys that Redis knows, and answers those that it doesn't. */
  async #takeKnown(keys: readonly KeyCalls[], outcomes: Map<CallToAdmit, RateOutcome>): Promise<KeyCalls[]> {
    // In one turn, so that the client sends them as one.
    const answers = await Promise.all(
      keys.map(({ keyId, terms, calls }) =>
        this.#run('take', keyId, [terms.generation, limit(terms.rpm), limit(terms.tpm), ...needsOf(calls)]),
      ),
    );
    return keys.filter((key, i) => {
      const answer = answers[i]!;
      if (answer.length === 0) return true;
      readAnswer(key, answer, outcomes);
      return false;
    });
  }

  async #rebuild(keyIds: readonly string[]): Promise<void> {
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

  async #ifInTime(runs: readonly Promise<unknown>[]): Promise<void> {
    try {
      await this.#inTime(Promise.all(runs));
    } catch (error) {
      this.#options.onFailed?.(error);
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
  error: new GatewayError('internal_error', { cause: cause ?? new Error('the rates are not known') }),
});
