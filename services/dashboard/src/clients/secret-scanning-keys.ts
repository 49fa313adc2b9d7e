import { createPublicKey, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { GatewayError } from '@gateway/errors';
import { z } from 'zod';

export interface SecretScanningKeysOptions {
  /** URL where the keys are published. */
  readonly url: string;
  /** A file with the same content, read instead of the URL. */
  readonly file: string | undefined;
  readonly fetch?: typeof fetch;
  readonly nowMs?: () => number;
}

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 1024 * 1024;
/** Maximum time for which a withdrawn key is still trusted. */
const MAX_AGE_MS = 24 * 60 * 60 * 1_000;
/** Minimum time between fetches because of an unknown key id, which any client can send. */
const MIN_REREAD_MS = 60_000;

/** The response of `GET https://api.github.com/meta/public_keys/secret_scanning`. */
const publishedKeys = z.object({
  public_keys: z.array(z.object({ key_identifier: z.string().min(1), key: z.string() })).max(1_000),
});

/** The public keys of a secret scanner, ECDSA on P-256, by their ids. */
export class SecretScanningKeys {
  readonly #options: SecretScanningKeysOptions;
  readonly #nowMs: () => number;
  #keys: ReadonlyMap<string, KeyObject> | undefined;
  #readMs = Number.NEGATIVE_INFINITY;
  #triedMs = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;

  constructor(options: SecretScanningKeysOptions) {
    this.#options = options;
    this.#nowMs = options.nowMs ?? (() => performance.now());
  }

  /** Returns undefined for an unknown key id; throws `internal_error` when the keys can't be read. */
  async find(id: string): Promise<KeyObject | undefined> {
    const isOld = this.#nowMs() - this.#readMs >= MAX_AGE_MS;
    if (!this.#keys || isOld || !this.#keys.has(id)) await this.#reread();
    if (!this.#keys || this.#nowMs() - this.#readMs >= MAX_AGE_MS) {
      throw new GatewayError('internal_error', { cause: new Error('no secret scanning keys') });
    }
    return this.#keys.get(id);
  }

  /** Keeps the current keys if they can't be read. */
  async #reread(): Promise<void> {
    if (!this.#reading) {
      if (this.#nowMs() - this.#triedMs < MIN_REREAD_MS) return;
      this.#triedMs = this.#nowMs();
      this.#reading = this.#read()
        .then((keys) => {
          this.#keys = keys;
          this.#readMs = this.#nowMs();
        })
        .finally(() => {
          this.#reading = undefined;
        });
    }
    try {
      await this.#reading;
    } catch (cause) {
      if (!this.#keys) throw new GatewayError('internal_error', { cause });
    }
  }

  async #read(): Promise<ReadonlyMap<string, KeyObject>> {
    const { file } = this.#options;
    const text = file === undefined ? await this.#fetchText() : await readFile(file, 'utf8');
    const { public_keys } = publishedKeys.parse(JSON.parse(text));
    return new Map(
      public_keys
        .map(({ key_identifier, key }) => [key_identifier, createPublicKey(key)] as const)
        .filter(([, key]) => key.asymmetricKeyDetails?.namedCurve === 'prime256v1'),
    );
  }

  async #fetchText(): Promise<string> {
    const { url, fetch: get = fetch } = this.#options;
    const response = await get(url, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: 'error' });
    if (!response.ok) throw new Error(`the keys of the secret scanner: HTTP ${response.status}`);
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length > MAX_BYTES) throw new Error('secret scanning keys too long');
    }
    return text;
  }
}
