import type { GatewayError } from '@gateway/errors';
import { type LinkedCall, LinkLost, type LinkPool, type ReplySink } from '@gateway/link';
import type { KeyContext } from '@gateway/proto/generated/gateway/edge/v1/KeyContext';
import type { FairSemaphore } from '@gateway/quota';
import type { ChatReply } from './rules/call-end';

export interface ChatCall {
  readonly requestId: string;
  readonly path: string;
  readonly key: KeyContext;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** No instance of chat is reachable: the call was not sent. */
export class CallNotSent extends Error {}

/** The call was sent, and its answer is lost: it may have been charged, or may still be running. */
export class AnswerLost extends Error {}

/** As long as a reply of chat may be. */
const MAX_REPLY_BYTES = 64 * 1024 ** 2;
/** Above it, replies wait for memory. */
const LARGE_REPLY_BYTES = 1024 ** 2;

/** Sends calls to chat, whose answers are not streamed. */
export class ChatCalls {
  readonly #links: Pick<LinkPool, 'call'>;
  readonly #timeoutMs: number;
  readonly #largeReplies: FairSemaphore;

  /** @param largeReplies limits the large replies in memory: of each account, and of all */
  constructor(links: Pick<LinkPool, 'call'>, timeoutMs: number, largeReplies: FairSemaphore) {
    this.#links = links;
    this.#timeoutMs = timeoutMs;
    this.#largeReplies = largeReplies;
  }

  /**
   * @throws GatewayError with which chat refused the call
   * @throws CallNotSent, AnswerLost
   */
  async send({ requestId, path, key, headers, body }: ChatCall, signal: AbortSignal): Promise<ChatReply> {
    const open = {
      requestId,
      method: 'POST',
      path,
      key,
      headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
      timeoutMs: this.#timeoutMs,
    };
    const reply = new CollectedReply((work) => this.#largeReplies.run(key.accountId ?? '', work));
    const call = await this.#links.call({ open, body }, reply).catch((cause) => {
      throw new CallNotSent('no instance of chat is reachable', { cause });
    });
    return reply.from(call, this.#timeoutMs, signal);
  }
}

class CollectedReply implements ReplySink {
  /** Calls the function when there is memory for a large reply, which it has until the promise resolves. */
  readonly #withMemory: (hold: () => Promise<void>) => Promise<void>;
  readonly #pieces: Buffer[] = [];
  readonly #over = Promise.withResolvers<void>();
  readonly #released = Promise.withResolvers<void>();
  #headers: Readonly<Record<string, string>> = {};
  #bytes = 0;
  /** Of a large reply that has no memory yet: chat sends no more than the link's window. */
  #unacknowledged: number | undefined;
  #isLarge = false;
  #call: LinkedCall | undefined;

  constructor(withMemory: (hold: () => Promise<void>) => Promise<void>) {
    this.#withMemory = withMemory;
    // It may fail before `from` is called.
    this.#over.promise.catch(() => {});
  }

  async from(call: LinkedCall, timeoutMs: number, signal: AbortSignal): Promise<ChatReply> {
    this.#call = call;
    const giveUp = (reason: string) => {
      call.cancel();
      this.#over.reject(new AnswerLost(reason));
    };
    const stop = () => giveUp('stopping');
    const timer = setTimeout(() => giveUp('the call took too long'), timeoutMs);
    signal.addEventListener('abort', stop, { once: true });
    try {
      if (signal.aborted) stop();
      await this.#over.promise;
    } catch (error) {
      this.#released.resolve();
      throw error;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
    }
    const body = Buffer.concat(this.#pieces);
    this.#pieces.length = 0;
    return { headers: this.#headers, body, release: () => this.#released.resolve() };
  }

  head(_status: number, headers: Readonly<Record<string, string>>): void {
    this.#headers = headers;
  }

  data(bytes: Buffer): void {
    this.#bytes += bytes.length;
    if (this.#bytes <= MAX_REPLY_BYTES) this.#pieces.push(bytes);
    if (this.#bytes > LARGE_REPLY_BYTES && !this.#isLarge) this.#awaitMemory();
    if (this.#unacknowledged === undefined) this.#call?.consumed(bytes.length);
    else this.#unacknowledged += bytes.length;
  }

  end(): void {
    if (this.#bytes <= MAX_REPLY_BYTES) this.#over.resolve();
    else this.#over.reject(new AnswerLost('the answer is too long'));
  }

  fail(error: GatewayError): void {
    this.#over.reject(error instanceof LinkLost ? new AnswerLost('link lost', { cause: error }) : error);
  }

  #awaitMemory(): void {
    this.#isLarge = true;
    this.#unacknowledged = 0;
    this.#withMemory(() => {
      this.#call?.consumed(this.#unacknowledged ?? 0);
      this.#unacknowledged = undefined;
      return this.#released.promise;
    }).catch((cause) => {
      this.#call?.cancel();
      this.#over.reject(new AnswerLost('no memory for the answer', { cause }));
    });
  }
}
