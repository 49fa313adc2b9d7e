import { GatewayError, toErrorFrame } from '@gateway/errors';
import { bufferedBody } from '../calls/buffered-body';
import { ClientStream } from '../calls/client-stream';
import type { Pace } from '../calls/paced-body';
import type { ImageJob, WholeReply } from './image-jobs';

/** As for streams of audio; the time of the job comes on top. */
const PACE: Pace = { graceMs: 60_000, leastBytesPerSecond: 4 * 1024 };
const NOTHING = () => {};

/** A stream of events that may begin before its job has ended. */
export class BegunStream {
  readonly body: ClientStream;
  readonly #first = Promise.withResolvers<void>();
  /** Settles when all that was written has been taken, or the client has left. */
  #written: Promise<void> = Promise.resolve();
  #isEnding = false;

  readonly #detailedMessages: boolean;

  /**
   * @param client aborted when the client disconnects
   * @param detailedMessages the detail of an error follows in its message
   */
  constructor(client: AbortSignal, detailedMessages: boolean) {
    this.#detailedMessages = detailedMessages;
    this.body = new ClientStream(client, PACE);
  }

  /** Resolves with the first event. */
  get begun(): Promise<void> {
    return this.#first.promise;
  }

  /** Writes an event of the job. One that comes after a timeout is dropped. */
  async push(event: Buffer): Promise<void> {
    if (this.#isEnding) return;
    this.#first.resolve();
    await this.#write(event);
  }

  /** Drops events from now on, because the stream is not read: the client has another answer. */
  close(): void {
    this.#isEnding = true;
  }

  /** Writes how the job ended: its reply, or the error. The order goes on without its client. */
  async end(run: Promise<WholeReply>, { lease, log }: Pick<ImageJob, 'lease' | 'log'>): Promise<void> {
    try {
      const { body } = await run;
      this.close();
      await this.#write(body, () => lease.release());
    } catch (thrown) {
      this.close();
      const error = GatewayError.from(thrown).withDetailedMessage(this.#detailedMessages);
      log.warn({ code: error.code }, 'stream of images ended with an error');
      await this.#write(Buffer.from(toErrorFrame(error, 'data')));
    } finally {
      this.body.end();
    }
  }

  #write(bytes: Buffer, onOver = NOTHING): Promise<void> {
    const write = async () => {
      for await (const piece of bufferedBody(bytes, onOver)) await this.body.push(piece);
    };
    this.#written = this.#written.then(write);
    return this.#written;
  }
}
