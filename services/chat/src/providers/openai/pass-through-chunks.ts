import type { Quota } from '@gateway/quota';
import { isObject, type JsonObject } from '@gateway/upstream';
import type { AudioIds } from '../../domain/audio-ids';
import type { MeteredStream, PassThroughEvent, PassThroughOptions } from '../../domain/chat-provider';
import { withoutOperatorsCosts } from '../../domain/operators-costs';
import { hasAllFigures, largerUsage, ofTier, type TokenUsage } from '../../domain/usage';
import { exactUsd } from '../../json/exact-json';
import { isCalledError, isErrorEvent } from '../../sse/error-event';
import { dataOf, endsLikeObject, isDoneMarker, parseData } from '../../sse/sse-data';
import { ModelNameRewriter } from '../model-name-rewriter';
import { UncountedEvents } from '../uncounted-events';
import { ChunkTemplate } from './chunk-template';
import { ChunkText, choicesOf } from './chunk-text';
import { withoutFilterResults } from './filter-results';
import { fromOpenAiUsage, serviceTierOf, withTopUsage } from './openai-usage';
import type { OpenAiQuirks } from './quirks';
import { ChunkRepair } from './repair-reply';
import { isFinishReason } from './reply-json';
import { pcmTokens, withoutAudioData, withSealedAudio } from './speech';
import { ThinkTagChunks } from './think-tags';

/** `data: [DONE]` with any framing is shorter than any chunk. */
const MAX_DONE_BYTES = 32;
const DONE = Buffer.from('[DONE]');
const DONE_FRAME = Buffer.from('data: [DONE]\n\n');
/** A quote inside a JSON string is escaped, so these bytes are always a member. */
const NULL_USAGE_MEMBER = Buffer.from(',"usage":null');
const USAGE_KEY = Buffer.from('"usage"');
const CHOICES_KEY = Buffer.from('"choices"');
const ERROR_KEY = Buffer.from('"error"');
const TIER_KEY = Buffer.from('"service_tier"');
const AUDIO_KEY = Buffer.from('"audio"');

export interface PassThroughChunksOptions {
  /** The slug by which the caller knows the model. */
  readonly model: string;
  /** The caller asked for the usage chunk. */
  readonly includeUsage: boolean;
  /** Number of choices that the caller asked for; absent: one. */
  readonly choices?: number | undefined;
  readonly chargedNano: PassThroughOptions['chargedNano'];
  readonly completedUsage?: PassThroughOptions['completedUsage'];
  readonly quirks: Pick<OpenAiQuirks, 'usage' | 'usageMember' | 'thinkTags' | 'sendsFilterChunks'>;
  readonly bufferQuota: Quota;
  /** Rewrites each event before anything else; absent: as the quirks demand. */
  readonly repair?: { repaired(event: Buffer): Buffer } | undefined;
  /** The service tier of a provider that has only one. */
  readonly onlyTier?: string | undefined;
  /** The account's ids of spoken replies; absent: the reply is not spoken. */
  readonly audioIds?: AudioIds | undefined;
}

/**
 * Reads usage from a stream of chat completion chunks that pass through. An event is parsed only if its bytes may contain
 * figures or an error, or be broken; the text is read later, and only if it has to be counted.
 */
export class PassThroughChunks implements MeteredStream {
  readonly #includeUsage: boolean;
  readonly #chargedNano: PassThroughOptions['chargedNano'];
  readonly #quirks: PassThroughChunksOptions['quirks'];
  /** Bytes of the member that may contain the usage. */
  readonly #usageMemberKey: Buffer | undefined;
  readonly #unread: UncountedEvents;
  readonly #model: ModelNameRewriter;
  readonly #ownRepair: PassThroughChunksOptions['repair'];
  readonly #repair = new ChunkRepair();
  readonly #template = new ChunkTemplate();
  #usage: TokenUsage | undefined;
  #serviceTier: string | undefined;
  #begun = false;
  /** The last chunk, as its caller receives it. */
  #last: Buffer | undefined;
  #hasShownUsage = false;
  readonly #completedUsage: PassThroughOptions['completedUsage'];
  readonly #choices: number;
  /** Finish reasons by the index of their choice. */
  readonly #finished = new Map<unknown, unknown>();
  readonly #audioIds: AudioIds | undefined;
  /** Of the audio's base64. */
  #audioChars = 0;

  constructor({
    includeUsage,
    choices = 1,
    chargedNano,
    completedUsage,
    model,
    quirks,
    bufferQuota,
    onlyTier,
    repair,
    audioIds,
  }: PassThroughChunksOptions) {
    this.#audioIds = audioIds;
    this.#ownRepair = repair ?? (quirks.thinkTags ? new ThinkTagChunks() : undefined);
    this.#quirks = quirks;
    if (quirks.usageMember) this.#usageMemberKey = Buffer.from(`"${quirks.usageMember}"`);
    this.#model = new ModelNameRewriter(model);
    this.#includeUsage = includeUsage;
    this.#choices = choices;
    this.#completedUsage = completedUsage;
    this.#chargedNano = chargedNano;
    this.#serviceTier = onlyTier;
    this.#unread = new UncountedEvents(bufferQuota, new ChunkText());
  }

  get usage(): TokenUsage | undefined {
    return this.#usage;
  }

  get isRefused(): boolean {
    return [...this.#finished.values()].includes('content_filter');
  }

  get serviceTier(): string | undefined {
    return this.#serviceTier;
  }

  take(received: Buffer): PassThroughEvent {
    if (received.length <= MAX_DONE_BYTES && received.includes(DONE) && isDoneMarker(dataOf(received))) {
      return { kind: 'done', bytes: this.#lastFrames() };
    }
    const shown = this.#quirks.sendsFilterChunks ? withoutFilterResults(received) : received;
    if (!shown) return { kind: 'hide' };
    const named = this.#model.inEvent(shown);
    const read = this.#ownRepair?.repaired(named) ?? named;
    if (this.#template.matches(read)) return this.#passText(read, this.#template.nullUsage);
    this.#template.forget();
    const event = this.#repair.repaired(read);
    // Every chunk reports it; the stream may not reach its last.
    if (!this.#begun && event.includes(TIER_KEY)) this.#serviceTier ??= serviceTierOf(parseData(event) ?? {});
    this.#begun = true;
    this.#last = event;
    if (this.#repair.isFinish) this.#readFinish(event);
    if (this.#audioIds && event.includes(AUDIO_KEY)) return this.#takeAudio(event, this.#audioIds);
    const looksWhole = endsLikeObject(event) && !isCalledError(event);
    const mayHaveInnerUsage = this.#usageMemberKey !== undefined && event.includes(this.#usageMemberKey);
    const nullUsage = looksWhole && !mayHaveInnerUsage ? event.indexOf(NULL_USAGE_MEMBER) : -1;
    const isTelling = () =>
      event.includes(USAGE_KEY) || event.includes(ERROR_KEY) || !event.includes(CHOICES_KEY);
    if (!looksWhole || (nullUsage === -1 && !this.#repair.isPlain && isTelling())) {
      this.#unread.keep(event);
      return this.#inspect(event);
    }
    if (this.#repair.isText && !mayHaveInnerUsage) this.#template.learn(event, nullUsage);
    return this.#passText(event, nullUsage);
  }

  /** @param nullUsage where its usage is, which is null; -1: it has none */
  #passText(event: Buffer, nullUsage: number): PassThroughEvent {
    this.#last = event;
    const bytes = nullUsage === -1 || this.#includeUsage ? event : without(event, nullUsage);
    this.#unread.keep(bytes);
    return { kind: 'pass', bytes };
  }

  end(): Buffer | undefined {
    return this.#finished.size >= this.#choices ? this.#lastFrames() : undefined;
  }

  get audioOutput(): number {
    return pcmTokens(this.#audioChars);
  }

  estimateOutput(): number {
    return this.#unread.estimateOutput() + this.audioOutput;
  }

  countOutput(): number {
    return this.#unread.countOutput() + this.audioOutput;
  }

  close(): void {
    this.#unread.close();
  }

  /**
   * Includes the finish reason of tool calls if the provider has given none, and a chunk with the usage if the caller has asked for it
   * and the provider has not reported it, or wrongly.
   */
  #lastFrames(): Buffer {
    const isReported = this.#hasShownUsage && hasAllFigures(this.#usage);
    const usage = this.#includeUsage && !isReported ? this.#completedUsage?.() : undefined;
    const finish = this.#finished.size === 0 && this.#choices === 1 ? this.#repair.end() : undefined;
    if (!usage && !finish) return DONE_FRAME;
    const { id, object, created, model } = (this.#last && parseData(this.#last)) ?? {};
    const head = { id, object, created, model };
    return Buffer.concat([
      ...(finish ? [frameOf({ ...head, choices: [finish] })] : []),
      ...(usage ? [frameOf({ ...head, choices: [], usage })] : []),
      DONE_FRAME,
    ]);
  }

  #readFinish(event: Buffer): void {
    for (const { index, finish_reason: reason } of choicesOf(parseData(event)))
      if (isFinishReason(reason)) this.#finished.set(index, reason);
  }

  /** Audio is not kept: its length is enough to count it. */
  #takeAudio(event: Buffer, ids: AudioIds): PassThroughEvent {
    const received = parseData(event);
    if (!received || isErrorEvent(event, received)) return this.#inspect(event);
    const { chunk, chars } = withoutAudioData(received);
    this.#audioChars += chars;
    this.#unread.keep(frameOf(chunk));
    return this.#inspect(event, withSealedAudio(received, 'delta', ids));
  }

  #inspect(event: Buffer, parsed?: JsonObject): PassThroughEvent {
    const received = parsed ?? parseData(event);
    if (isErrorEvent(event, received)) return { kind: 'error' };
    if (!received && dataOf(event) !== '') throw new Error('provider sent a chunk that is not a JSON object');
    if (!received) return { kind: 'pass', bytes: event };
    const whole = withChoices(received);
    const chunk = withTopUsage(whole, this.#quirks.usageMember);
    const bytes = parsed || whole !== received ? frameOf(whole) : event;
    if (!('usage' in chunk)) return { kind: 'pass', bytes };
    // Some providers report a running total in every chunk.
    const usage = fromOpenAiUsage(chunk.usage, this.#quirks.usage);
    if (usage) this.#usage = largerUsage(this.#usage, usage);
    const isOnlyUsage = chunk.usage && choicesOf(chunk).length === 0;
    // One that contradicts the reply is replaced by a chunk at its end.
    if (isOnlyUsage && !(this.#includeUsage && hasAllFigures(usage))) return { kind: 'hide' };
    if (this.#includeUsage) {
      this.#hasShownUsage ||= usage !== undefined;
      return { kind: 'pass', bytes: frameOf(this.#withCost(chunk)) };
    }
    const { usage: _usage, ...rest } = chunk;
    return { kind: 'pass', bytes: frameOf(rest) };
  }

  /** Replaces the costs of the provider, which are the operator's. */
  #withCost(received: JsonObject): object {
    const chunk = withoutOperatorsCosts(received);
    const { usage } = chunk;
    if (!this.#usage || !isObject(usage)) return chunk;
    const cost = exactUsd(this.#chargedNano(ofTier(this.#usage, this.#serviceTier)));
    return { ...chunk, usage: { ...usage, cost } };
  }
}

/** OpenAI's own clients fail for a chunk without choices. */
const withChoices = (chunk: JsonObject): JsonObject =>
  Array.isArray(chunk.choices) ? chunk : { ...chunk, choices: [] };

const frameOf = (chunk: object): Buffer => Buffer.from(`data: ${JSON.stringify(chunk)}\n\n`);

/** Changes the event in place: no other code uses its bytes, and copying every chunk would cost measurable time. */
function without(event: Buffer, at: number): Buffer {
  event.copyWithin(at, at + NULL_USAGE_MEMBER.length);
  return event.subarray(0, event.length - NULL_USAGE_MEMBER.length);
}
