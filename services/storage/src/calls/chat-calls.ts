import type { GatewayError } from '@gateway/errors';
import { type LinkedCall, LinkLost, type LinkPool, type ReplySink } from '@gateway/link';
import type { KeyContext } from '@gateway/proto/generated/gateway/edge/v1/KeyContext';
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

/** Fits into the memory of a row with its encryption. */
const MAX_REPLY_BYTES = 32 * 1024 ** 2;

/** Sends calls to chat, whose answers are not streamed. */
export class ChatCalls {
  readonly #links: Pick<LinkPool, 'call'>;
  readonly #timeoutMs: number;

  constructor(links: Pick<LinkPool, 'call'>, timeoutMs: number) {
    this.#links = links;
    this.#timeoutMs = timeoutMs;
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
    const reply = new CollectedReply();
    const call = await this.#links.call({ open, body }, reply).catch((cause) => {
      throw new CallNotSent('no instance of chat is reachable', { cause });
    });
    return reply.from(call, this.#timeoutMs, signal);
  }
}

class CollectedReply implements ReplySink {
  readonly #pieces: Buffer[] = [];
  readonly #over: Promise<void>;
  #headers: Readonly<Record<string, string>> = {};
  #bytes = 0;
  #call: LinkedCall | undefined;
  #resolve!: () => void;
  #reject!: (error: Error) => void;

  constructor() {
    this.#over = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // It may fail before `from` is called.
    this.#over.catch(() => {});
  }

  async from(call: LinkedCall, timeoutMs: number, signal: AbortSignal): Promise<ChatReply> {
    this.#call = call;
    const giveUp = (reason: string) => {
      call.cancel();
      this.#reject(new AnswerLost(reason));
    };
    const stop = () => giveUp('stopping');
    const timer = setTimeout(() => giveUp('the call took too long'), timeoutMs);
    signal.addEventListener('abort', stop, { once: true });
    try {
      if (signal.aborted) stop();
      await this.#over;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
    }
    return { headers: this.#headers, body: Buffer.concat(this.#pieces) };
  }

  head(_status: number, headers: Readonly<Record<string, string>>): void {
    this.#headers = headers;
  }

  data(bytes: Buffer): void {
    this.#bytes += bytes.length;
    this.#call?.consumed(bytes.length);
    if (this.#bytes <= MAX_REPLY_BYTES) this.#pieces.push(bytes);
  }

  end(): void {
    if (this.#bytes <= MAX_REPLY_BYTES) this.#resolve();
    else this.#reject(new AnswerLost('the answer is too long'));
  }

  fail(error: GatewayError): void {
    this.#reject(error instanceof LinkLost ? new AnswerLost('link lost', { cause: error }) : error);
  }
}
