import { readFile, stat } from 'node:fs/promises';
import { indexPrices, type PriceIndex } from './find-price';
import type { PriceListFormat } from './price-list';
import { readPriceList } from './read-price-list';

const TIMEOUT_MS = 20_000;
const MAX_BYTES = 32 * 1024 * 1024;
/** The published lists change about once a day. */
const MAX_AGE_MS = 60 * 60 * 1_000;

export interface CurrentPriceList {
  readonly format: PriceListFormat;
  readonly prices: PriceIndex;
  /** Why entries are not used, by `priceKey`. */
  readonly rejections: ReadonlyMap<string, string>;
  /** URL or file. */
  readonly source: string;
  /** UTC day on which it was read. */
  readonly date: string;
}

interface Cached {
  readonly list: CurrentPriceList;
  readonly readAtMs: number;
  /** Of a file. */
  readonly modifiedAtMs: number;
}

/** The price list of a URL or file, read when it is needed and again when it is old. */
export class PriceListSource {
  readonly #source: string;
  readonly #fetch: typeof fetch;
  #cached: Cached | undefined;
  #reading: Promise<Cached> | undefined;

  /** @param source an https URL, the path of a file, or `none` */
  constructor(source: string, get: typeof fetch = fetch) {
    this.#source = source;
    this.#fetch = get;
  }

  /**
   * Returns undefined if no list is configured.
   * @throws Error if the list can't be read, GatewayError `invalid_request` if it is not a price list
   */
  async current(): Promise<CurrentPriceList | undefined> {
    if (this.#source === 'none') return undefined;
    if (this.#cached && (await this.#isCurrent(this.#cached))) return this.#cached.list;
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    this.#cached = await this.#reading;
    return this.#cached.list;
  }

  get #isUrl(): boolean {
    return this.#source.startsWith('https://');
  }

  async #isCurrent({ readAtMs, modifiedAtMs }: Cached): Promise<boolean> {
    if (this.#isUrl) return Date.now() - readAtMs < MAX_AGE_MS;
    return (await stat(this.#source)).mtimeMs === modifiedAtMs;
  }

  async #read(): Promise<Cached> {
    const readAtMs = Date.now();
    const modifiedAtMs = this.#isUrl ? 0 : (await stat(this.#source)).mtimeMs;
    const text = this.#isUrl ? await this.#fetchText() : await readFile(this.#source, 'utf8');
    const { format, entries, rejected } = readPriceList(text);
    const rejections = new Map(
      rejected.flatMap(({ key, reason }) => (key === undefined ? [] : [[key, reason]])),
    );
    const date = new Date(readAtMs).toISOString().slice(0, 10);
    return {
      list: { format, prices: indexPrices(entries), rejections, source: this.#source, date },
      readAtMs,
      modifiedAtMs,
    };
  }

  async #fetchText(): Promise<string> {
    const response = await this.#fetch(this.#source, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    const pieces: Uint8Array[] = [];
    let bytes = 0;
    for await (const piece of response.body ?? []) {
      bytes += piece.length;
      if (bytes > MAX_BYTES) throw new Error(`larger than ${MAX_BYTES} bytes`);
      pieces.push(piece);
    }
    return Buffer.concat(pieces).toString('utf8');
  }
}
