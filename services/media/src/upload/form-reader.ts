import type { Readable } from 'node:stream';
import { GatewayError } from '@gateway/errors';
import busboy from 'busboy';
import type { Form, FormLimits, FormRules } from './form';
import { FormParts } from './form-parts';
import type { UploadQuota } from './upload-quota';

export interface FormReaderOptions {
  /** For temporary files. On a disk: they may be many times larger than the memory. */
  readonly directory: string;
  readonly space: Pick<UploadQuota, 'ofAccount'>;
  readonly limits: FormLimits;
}

export interface FormRequest {
  readonly contentType: string;
  readonly body: AsyncIterable<Buffer>;
  readonly accountId: string;
  readonly rules: FormRules;
}

/** Reads multipart/form-data as it arrives: fields into memory, files onto disk. */
export class FormReader {
  readonly #options: FormReaderOptions;

  constructor(options: FormReaderOptions) {
    this.#options = options;
  }

  /**
   * Reads no more of an invalid body than is needed to refuse it.
   * @throws GatewayError with everything deleted
   */
  async read({ contentType, body, accountId, rules }: FormRequest): Promise<Form> {
    const { directory, space, limits } = this.#options;
    const parts = new FormParts({ directory, space, limits, rules, accountId });
    const parser = new FormParser(contentType, parts, limits);
    try {
      let bytes = 0;
      for await (const piece of body) {
        bytes += piece.length;
        if (bytes > limits.maxBytes) throw invalid('the body is too large');
        await parser.write(piece);
      }
      await parser.end();
      const { fields, lists, uploads } = parts;
      return { fields, lists, uploads, digest: parts.digest(), close: () => parts.close() };
    } catch (error) {
      await parser.destroy();
      await parts.close();
      throw error;
    }
  }
}

/** The library's parser with backpressure and a single failure path. */
class FormParser {
  readonly #parser: busboy.Busboy;
  readonly #files: Promise<void>[] = [];
  #failure: Error | undefined;
  /** Rejects pending waits. */
  #reject: ((error: Error) => void) | undefined;

  constructor(contentType: string, parts: FormParts, limits: FormLimits) {
    this.#parser = openParser(contentType, limits);
    this.#parser.on('error', () => this.#fail(invalid('the form is malformed or cut off')));
    this.#parser.on('field', (name: string | undefined, value, { valueTruncated }) => {
      try {
        if (!this.#failure) parts.addField(name, value, valueTruncated);
      } catch (error) {
        this.#fail(error as Error);
      }
    });
    this.#parser.on('file', (name: string | undefined, stream) => {
      // Even if it is awaited later.
      stream.on('error', () => this.#fail(invalid('the form is malformed or cut off')));
      if (isOver(this.#parser)) this.#fail(invalid('the form goes on after its last boundary'));
      if (this.#failure) stream.destroy();
      else this.#files.push(this.#readPart(parts, name, stream));
    });
    this.#parser.on('partsLimit', () => this.#fail(invalid('the form has too many parts')));
    this.#parser.on('fieldsLimit', () => this.#fail(invalid('the form has too many fields')));
  }

  /** Resolves when it accepts more data. */
  write(bytes: Buffer): Promise<void> {
    return this.#wait((done) => this.#parser.write(bytes, done));
  }

  /** Resolves when every part has been read. */
  async end(): Promise<void> {
    await this.#wait((done) => {
      this.#parser.once('close', done);
      this.#parser.end();
    });
    await Promise.all(this.#files);
    if (this.#failure) throw this.#failure;
  }

  /** Resolves when no file is being written any more. */
  async destroy(): Promise<void> {
    this.#failure ??= new Error('destroyed');
    this.#parser.destroy();
    await Promise.all(this.#files);
  }

  async #readPart(parts: FormParts, name: string | undefined, stream: Readable): Promise<void> {
    try {
      await parts.addFile(name, stream);
    } catch (error) {
      stream.destroy();
      this.#fail(error as Error);
    }
  }

  #wait(begin: (done: (error?: Error | null) => void) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#failure) return reject(this.#failure);
      this.#reject = reject;
      begin((error) => {
        if (this.#failure ?? error) reject(this.#failure ?? error);
        else resolve();
      });
    });
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#reject?.(this.#failure);
  }
}

function openParser(contentType: string, limits: FormLimits): busboy.Busboy {
  try {
    return busboy({
      headers: { 'content-type': contentType },
      limits: {
        fieldSize: limits.maxFieldBytes,
        fields: limits.maxFields,
        // One file more than allowed, so that the excess one is recognized.
        parts: limits.maxFiles + limits.maxFields + 1,
      },
    });
  } catch {
    throw invalid('Content-Type must be multipart/form-data with a boundary');
  }
}

/**
 * Whether the last boundary was read. The library goes on with the rest of that piece of the body, and would wait forever for the end
 * of a file in it.
 */
function isOver(parser: busboy.Busboy): boolean {
  return (parser as unknown as { readonly _complete: boolean })._complete;
}

function invalid(detail: string): GatewayError {
  return new GatewayError('invalid_request', { detail });
}
