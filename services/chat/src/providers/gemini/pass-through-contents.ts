import type { MeteredStream, PassThroughEvent } from '../../domain/chat-provider';
import { ReplyText } from '../../domain/reply-text';
import type { TokenUsage } from '../../domain/usage';
import { ModelNameRewriter } from '../model-name-rewriter';
import { GeminiStream } from './gemini-stream';
import { VERSION_MEMBER } from './whole-contents';

/** A stream of `GenerateContentResponse`s that passes through, with the slug in place of the provider's name of the model. */
export class PassThroughContents implements MeteredStream {
  readonly #reader: GeminiStream;
  readonly #model: ModelNameRewriter;
  readonly #text = new ReplyText();
  /** Events since the finish reason: the client gets the end of the reply when it is billed. */
  readonly #held: Buffer[] = [];

  constructor(model: string, newToolId: () => string) {
    this.#reader = new GeminiStream(newToolId);
    this.#model = new ModelNameRewriter(model, VERSION_MEMBER);
  }

  get usage(): TokenUsage | undefined {
    return this.#reader.usage;
  }

  /** @throws Error when the provider ended the stream with an error */
  take(event: Buffer): PassThroughEvent {
    this.#text.addEvents(this.#reader.read(event));
    const bytes = this.#model.inEvent(event);
    if (this.#reader.ended) return { kind: 'done', bytes: Buffer.concat([...this.#held, bytes]) };
    if (!this.#reader.isFinished) return { kind: 'pass', bytes };
    this.#held.push(Buffer.from(bytes));
    return { kind: 'hide' };
  }

  end(): Buffer | undefined {
    this.#reader.end();
    return this.#reader.ended ? Buffer.concat(this.#held) : undefined;
  }

  estimateOutput(): number {
    return this.#text.estimate();
  }

  countOutput(): number {
    return this.#text.count();
  }

  close(): void {}
}
