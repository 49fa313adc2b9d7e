/** The writable side of a gRPC stream. */
export interface BatchSink<Batch> {
  write(batch: Batch): boolean;
  once(event: 'drain', listener: () => void): unknown;
}

const MAX_BATCH_ITEMS = 1_024;
const MAX_BATCH_BYTES = 256 * 1024;
/** How long a deferrable item may wait for others. */
const DEFER_MS = 1;

/**
 * Sends the items that are added within one turn of the event loop as one message, because a gRPC message costs far more
 * than an item. While the sink is under backpressure, items accumulate here; the callers bound how many.
 */
export class TickBatcher<Item, Batch> {
  readonly #sink: BatchSink<Batch>;
  readonly #toBatch: (items: Item[]) => Batch;
  readonly #onDrain: (() => void) | undefined;
  #batches: { items: Item[]; bytes: number }[] = [];
  #scheduled = false;
  #sentAtMs = 0;
  #deferTimer: NodeJS.Timeout | undefined;
  #paused = false;
  #closed = false;

  /** `onDrain` is called when every item has been sent and the sink accepts more. */
  constructor(sink: BatchSink<Batch>, toBatch: (items: Item[]) => Batch, onDrain?: () => void) {
    this.#sink = sink;
    this.#toBatch = toBatch;
    this.#onDrain = onDrain;
  }

  /** Whether the sink keeps up, so that bulk data can be added without accumulating here. */
  get isWritable(): boolean {
    if (this.#closed || this.#paused || this.#batches.length > 1) return false;
    return (this.#batches[0]?.bytes ?? 0) < MAX_BATCH_BYTES / 2;
  }

  /**
   * @param bytes size of the item's payload
   * @param deferrable whether the item may wait a millisecond for others under load, as the chunks of a stream may
   */
  add(item: Item, bytes = 0, deferrable = false): void {
    if (this.#closed) return;
    const last = this.#batches.at(-1);
    if (last && last.items.length < MAX_BATCH_ITEMS && last.bytes + bytes <= MAX_BATCH_BYTES) {
      last.items.push(item);
      last.bytes += bytes;
    } else {
      this.#batches.push({ items: [item], bytes });
    }
    if (this.#scheduled || this.#paused) return;
    if (deferrable && performance.now() - this.#sentAtMs < DEFER_MS) {
      this.#deferTimer ??= setTimeout(this.#send, DEFER_MS);
      return;
    }
    this.#scheduled = true;
    setImmediate(this.#send);
  }

  /** Drops the items that were not sent; items added later are ignored. */
  close(): void {
    this.#closed = true;
    this.#batches = [];
  }

  readonly #send = (): void => {
    this.#scheduled = false;
    clearTimeout(this.#deferTimer);
    this.#deferTimer = undefined;
    this.#sentAtMs = performance.now();
    this.#flush();
  };

  #flush(): void {
    while (!this.#paused) {
      const batch = this.#batches.shift();
      if (!batch) {
        this.#onDrain?.();
        return;
      }
      if (!this.#sink.write(this.#toBatch(batch.items))) {
        this.#paused = true;
        this.#sink.once('drain', () => {
          this.#paused = false;
          this.#flush();
        });
      }
    }
  }
}
