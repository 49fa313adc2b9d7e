import type { MeteredStream, PassThroughEvent, PassThroughOptions } from '../../domain/chat-provider';
import { isRefusal } from '../../domain/reply';
import { ReplyText } from '../../domain/reply-text';
import { hasAllFigures, type TokenUsage } from '../../domain/usage';
import { parseExactData } from '../../sse/sse-data';
import { ModelNameRewriter } from '../model-name-rewriter';
import { GeminiStream } from './gemini-stream';
import { VERSION_MEMBER, withoutCostsInEvent } from './whole-contents';

/** A stream of `GenerateContentResponse`s that passes through, with the slug in place of the provider's name of the model. */
export class PassThroughContents implements MeteredStream {
  readonly #reader: GeminiStream;
  readonly #model: ModelNameRewriter;
  readonly #completedUsage: PassThroughOptions['completedUsage'];
  readonly #text = new ReplyText();
  #isRefused = false;
  /** Events since the finish reason: the client gets the end of the reply when it is billed. */
  readonly #held: Buffer[] = [];

  constructor(
    { model, completedUsage }: Pick<PassThroughOptions, 'model' | 'completedUsage'>,
    newToolId: () => string,
  ) {
    this.#completedUsage = completedUsage;
    this.#reader = new GeminiStream(newToolId);
    this.#model = new ModelNameRewriter(model, VERSION_MEMBER);
  }

  get usage(): TokenUsage | undefined {
    return this.#reader.usage;
  }

  get isRefused(): boolean {
    return this.#isRefused;
  }

  /** @throws Error when the provider ended the stream with an error */
  take(event: Buffer): PassThroughEvent {
    const events = this.#reader.read(event);
    this.#text.addEvents(events);
    this.#isRefused ||= events.some(isRefusal);
    const bytes = this.#model.inEvent(withoutCostsInEvent(event));
    if (!this.#reader.isFinished) return { kind: 'pass', bytes };
    this.#held.push(Buffer.from(bytes));
    return this.#reader.ended ? { kind: 'done', bytes: this.#lastEvents() } : { kind: 'hide' };
  }

  end(): Buffer | undefined {
    this.#reader.end();
    return this.#reader.ended ? this.#lastEvents() : undefined;
  }

  #lastEvents(): Buffer {
    const last = this.#held.at(-1);
    const isRight = hasAllFigures(this.usage) || !this.#completedUsage;
    const response = !isRight && last ? parseExactData(last) : undefined;
    if (!response) return Buffer.concat(this.#held);
    const completed = { ...response, usageMetadata: this.#completedUsage!() };
    const event = Buffer.from(`data: ${JSON.stringify(completed)}\n\n`);
    return Buffer.concat([...this.#held.slice(0, -1), event]);
  }

  estimateOutput(): number {
    return this.#text.estimate();
  }

  countOutput(): number {
    return this.#text.count();
  }

  close(): void {}
}
