import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';
import type { AwsCredential } from './aws-credential';

/** Signs a request; returns its headers with those of the signature. */
export type SignRequest = (
  url: URL,
  headers: Readonly<Record<string, string>>,
  body: Buffer,
) => Promise<Record<string, string>>;

/**
 * Returns a signer by AWS Signature Version 4 for POST requests to Bedrock. It signs the headers that AWS requires: others may
 * still be changed on the way.
 */
export function requestSigner(
  credentials: Extract<AwsCredential, { kind: 'access_key' }>,
  region: string,
): SignRequest {
  // The path is escaped once more than on the wire, as all services but S3 expect.
  const signer = new SignatureV4({ service: 'bedrock', region, credentials, sha256: Sha256 });
  return async (url, headers, body) => {
    const signed = await signer.sign({
      method: 'POST',
      protocol: url.protocol,
      hostname: url.hostname,
      path: url.pathname,
      headers: { ...signable(headers), host: url.host },
      body,
    });
    return { ...headers, ...signed.headers };
  };
}

function signable(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => name === 'content-type' || name.startsWith('x-amz')),
  );
}

type SourceData = string | ArrayBuffer | ArrayBufferView;

/** SHA-256, or HMAC with a key, by Node's own implementation. */
class Sha256 {
  readonly #secret: SourceData | undefined;
  #hash: Hash | Hmac;

  constructor(secret?: SourceData) {
    this.#secret = secret;
    this.#hash = this.#start();
  }

  update(data: SourceData): void {
    this.#hash.update(bytesOf(data));
  }

  digest(): Promise<Uint8Array> {
    return Promise.resolve(this.#hash.digest());
  }

  reset(): void {
    this.#hash = this.#start();
  }

  #start(): Hash | Hmac {
    return this.#secret === undefined ? createHash('sha256') : createHmac('sha256', bytesOf(this.#secret));
  }
}

function bytesOf(data: SourceData): Buffer {
  if (typeof data === 'string') return Buffer.from(data);
  if (data instanceof ArrayBuffer) return Buffer.from(data);
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength);
}
