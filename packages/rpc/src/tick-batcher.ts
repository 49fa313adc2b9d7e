/** The writable side of a gRPC stream. */
export interface BatchSink<Batch> {
  write(batch: Batch): boolean;
  once(event: 'drain', listener: () => void): unknown;
}

const MAX_BATCH_ITEMS = 1_024;
const MAX_BATCH_BYTES = 256 * 1024;
/** How long a patient item may wait for company. */
const PATIENCE_MS = 1;

/**
 * Sends what is added within a turn of the event loop as one message, because a gRPC message costs far more
 * than an item. While the sink asks for a pause, items gather; who adds them bounds how many.
 */
export class TickBatcher<Item, Batch> {
  readonly #sink: BatchSink<Batch>;
  readonly #toBatch: (items: Item[]) => Batch;
  readonly #onRoom: (() => void) | undefined;
  #batches: { items: Item[]; bytes: number }[] = [];
  #scheduled = false;
  #sentAtMs = 0;
  #patienceTimer: NodeJS.Timeout | undefined;
  #paused = false;
  #closed = false;

  /** `onRoom` is called when all is sent and the sink takes more. */
  constructor(sink: BatchSink<Batch>, toBatch: (items: Item[]) => Batch, onRoom?: () => void) {
    this.#sink = sink;
    this.#toBatch = toBatch;
    this.#onRoom = onRoom;
  }

  /** Whether the sink keeps up, so that bulk may be added without piling up here. */
  get hasRoom(): boolean {
    if (this.#closed || this.#paused || this.#batches.length > 1) return false;
    return (this.#batches[0]?.bytes ?? 0) < MAX_BATCH_BYTES / 2;
  }

  /**
   * @param bytes the item's size as far as it matters: that of the payload it carries
   * @param patient under load it may wait a millisecond for others: for the pieces of a stream
   */
  add(item: Item, bytes = 0, patient = false): void {
    if (this.#closed) return;
    const last = this.#batches.at(-1);
    if (last && last.items.length < MAX_BATCH_ITEMS && last.bytes + bytes <= MAX_BATCH_BYTES) {
      last.items.push(item);
      last.bytes += bytes;
    } else {
      this.#batches.push({ items: [item], bytes });
    }
    if (this.#scheduled || this.#paused) return;
    if (patient && performance.now() - this.#sentAtMs < PATIENCE_MS) {
      this.#patienceTimer ??= setTimeout(this.#send, PATIENCE_MS);
      return;
    }
    this.#scheduled = true;
    setImmediate(this.#send);
  }

  /** Drops what was not sent; later items are ignored. */
  close(): void {
    this.#closed = true;
    this.#batches = [];
  }

  readonly #send = (): void => {
    this.#scheduled = false;
    clearTimeout(this.#patienceTimer);
    this.#patienceTimer = undefined;
    this.#sentAtMs = performance.now();
    this.#flush();
  };

  #flush(): void {
    while (!this.#paused) {
      const batch = this.#batches.shift();
      if (!batch) {
        this.#onRoom?.();
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
