import type { Readable } from 'node:stream';
import type { S3 } from '@aws-sdk/client-s3';
import { type ObjectStore, ObjectStoreError, type StoreOperation } from './object-store';

export interface S3Options {
  readonly bucket: string;
  /** Of all keys. */
  readonly prefix: string;
  /** Absent: AWS. */
  readonly endpoint: string | undefined;
  readonly region: string;
  /** The bucket is in the path instead of the host name. */
  readonly pathStyle: boolean;
  /** Absent: those that the AWS SDK finds in the environment, in files, or from the metadata service of the machine. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined;
  /** For each attempt of a request, and for each wait for more of an object. */
  readonly timeoutMs: number;
  /** Called for each request that failed for good. */
  readonly onFailure: (operation: StoreOperation) => void;
}

/** The least that S3 accepts for a part that is not the last one. */
const PART_BYTES = 5 * 1024 * 1024;
const ATTEMPTS = 3;
const CONNECT_TIMEOUT_MS = 5_000;
/** More than uploads, reads and deletions can be at once: a reader who pauses holds a connection. */
const MAX_CONNECTIONS = 256;

/**
 * Objects are in a bucket of S3, or of a store with its API, for any number of instances. A large object is uploaded in parts, one after
 * the other, and exists when they are put together.
 */
export class S3Store implements ObjectStore {
  readonly #client: S3;
  readonly #options: S3Options;
  #reached = false;
  #check: Promise<unknown> | undefined;

  private constructor(client: S3, options: S3Options) {
    this.#client = client;
    this.#options = options;
  }

  static async open(options: S3Options): Promise<S3Store> {
    const { endpoint, region, pathStyle, credentials, timeoutMs } = options;
    const agent = { keepAlive: true, maxSockets: MAX_CONNECTIONS };
    // Loaded where it is used, because it needs 30 MiB.
    const { S3 } = await import('@aws-sdk/client-s3');
    const client = new S3({
      region,
      forcePathStyle: pathStyle,
      ...(endpoint !== undefined && { endpoint }),
      ...(credentials && { credentials }),
      maxAttempts: ATTEMPTS,
      requestHandler: {
        connectionTimeout: Math.min(CONNECT_TIMEOUT_MS, timeoutMs),
        requestTimeout: timeoutMs,
        throwOnRequestTimeout: true,
        httpAgent: agent,
        httpsAgent: agent,
      },
      // Other stores know no checksums in trailers. The signature contains the hash of a body, and the content is authenticated.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    });
    return new S3Store(client, options);
  }

  async put(name: string, content: AsyncIterable<Buffer>): Promise<void> {
    const upload = new PartUpload(this.#objectOf(name), (request) => this.#request('put', request));
    // Reused for all parts: the memory of an upload is this.
    const part = Buffer.allocUnsafeSlow(PART_BYTES);
    let filled = 0;
    try {
      for await (const piece of content) {
        for (let at = 0; at < piece.length; ) {
          if (filled === PART_BYTES) {
            await upload.addPart(part);
            filled = 0;
          }
          const copied = piece.copy(part, filled, at);
          filled += copied;
          at += copied;
        }
      }
      await upload.complete(part.subarray(0, filled));
    } catch (error) {
      // What a store that fails keeps is deleted with the object.
      if (!(error instanceof ObjectStoreError)) await upload.abort().catch(() => undefined);
      throw error;
    }
  }

  async read(name: string): Promise<AsyncIterable<Buffer> | undefined> {
    const { Body: body } = await this.#request('read', (client) =>
      client.getObject(this.#objectOf(name)).catch((error) => {
        if (nameOf(error) === 'NoSuchKey') return { Body: undefined };
        throw error;
      }),
    );
    return body && this.#contentOf(body as Readable);
  }

  delete(name: string): Promise<void> {
    const object = this.#objectOf(name);
    return this.#request('delete', async (client) => {
      const { Bucket, Key } = object;
      const { Uploads = [] } = await client.listMultipartUploads({ Bucket, Prefix: Key });
      for (const { UploadId } of Uploads.filter((upload) => upload.Key === Key))
        await client.abortMultipartUpload({ ...object, UploadId }).catch(ignoreMissingUpload);
      await client.deleteObject(object);
    });
  }

  /** A store that is lost later fails the calls of files, but not those of responses, which an instance serves as well. */
  async reached(): Promise<boolean> {
    if (this.#reached) return true;
    const { bucket: Bucket } = this.#options;
    this.#check ??= this.#request('check', (client) => client.headBucket({ Bucket })).finally(() => {
      this.#check = undefined;
    });
    await this.#check;
    this.#reached = true;
    return true;
  }

  close(): void {
    this.#client.destroy();
  }

  #objectOf(name: string) {
    const { bucket, prefix } = this.#options;
    return { Bucket: bucket, Key: prefix + name };
  }

  async #request<T>(operation: StoreOperation, request: (client: S3) => Promise<T>): Promise<T> {
    try {
      return await request(this.#client);
    } catch (error) {
      throw this.#failure(operation, error);
    }
  }

  #failure(operation: StoreOperation, error: unknown): ObjectStoreError {
    this.#options.onFailure(operation);
    return new ObjectStoreError(operation, reasonOf(error));
  }

  /** Only the time of waiting for the store counts, not the reader's. */
  async *#contentOf(body: Readable): AsyncGenerator<Buffer> {
    const pieces = body[Symbol.asyncIterator]();
    const nextInTime = async (): Promise<IteratorResult<Buffer>> => {
      const late = () => body.destroy(Object.assign(new Error('late'), { name: 'TimeoutError' }));
      const timer = setTimeout(late, this.#options.timeoutMs);
      try {
        return await pieces.next();
      } catch (error) {
        throw this.#failure('read', error);
      } finally {
        clearTimeout(timer);
      }
    };
    try {
      for (let next = await nextInTime(); !next.done; next = await nextInTime()) yield next.value;
    } finally {
      body.destroy();
    }
  }
}

type Request = <T>(request: (client: S3) => Promise<T>) => Promise<T>;

/** An object of unknown size: one request if it has one part only, else a multipart upload. */
class PartUpload {
  readonly #object: { readonly Bucket: string; readonly Key: string };
  readonly #request: Request;
  readonly #parts: { readonly PartNumber: number; readonly ETag: string | undefined }[] = [];
  #id: string | undefined;

  constructor(object: { Bucket: string; Key: string }, request: Request) {
    this.#object = object;
    this.#request = request;
  }

  async addPart(Body: Buffer): Promise<void> {
    this.#id ??= await this.#create();
    const part = { ...this.#object, UploadId: this.#id, PartNumber: this.#parts.length + 1, Body };
    const { ETag } = await this.#request((client) => client.uploadPart(part));
    this.#parts.push({ PartNumber: part.PartNumber, ETag });
  }

  async complete(last: Buffer): Promise<void> {
    if (this.#id === undefined) {
      await this.#request((client) => client.putObject({ ...this.#object, Body: last }));
      return;
    }
    await this.addPart(last);
    const whole = { ...this.#object, UploadId: this.#id, MultipartUpload: { Parts: this.#parts } };
    await this.#request((client) => client.completeMultipartUpload(whole));
  }

  async abort(): Promise<void> {
    if (this.#id === undefined) return;
    const upload = { ...this.#object, UploadId: this.#id };
    await this.#request((client) => client.abortMultipartUpload(upload));
  }

  async #create(): Promise<string | undefined> {
    const { UploadId } = await this.#request((client) => client.createMultipartUpload(this.#object));
    return UploadId;
  }
}

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : 'unknown');

/** Another instance, or a rule of the bucket, has aborted it. */
function ignoreMissingUpload(error: unknown): void {
  if (nameOf(error) !== 'NoSuchUpload') throw error;
}

/** Returns the store's code with the status, or the system's. Messages and other fields of the errors may repeat what was sent. */
function reasonOf(error: unknown): string {
  const { code, $metadata } = error as { code?: unknown; $metadata?: { httpStatusCode?: number } };
  const parts = [nameOf(error), code, $metadata?.httpStatusCode];
  return parts.filter((part) => /^[\w.-]{1,64}$/.test(String(part ?? ''))).join(' ') || 'unknown';
}
