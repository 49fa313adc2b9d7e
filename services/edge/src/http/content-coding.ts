import type { IncomingMessage } from 'node:http';
import zlib from 'node:zlib';
import { GatewayError } from '@gateway/errors';

/** A content coding of request bodies (RFC 9110, section 8.4). */
export type ContentCoding = 'gzip' | 'deflate' | 'br' | 'zstd';

/** A decoder is a stream; `bytesWritten` is what it has consumed. */
export type Decoder = ReturnType<typeof zlib.createGunzip> | ReturnType<typeof zlib.createZstdDecompress>;

const MIB = 1024 ** 2;
/** The largest window of zstd that HTTP allows (RFC 9659). */
const ZSTD_WINDOW_LOG = 23;
/** Of each piece that a decoder returns. */
const CHUNK_BYTES = 64 * 1024;

interface Coding {
  readonly create: () => Decoder;
  /** Memory that a decoder may take. */
  readonly windowBytes: number;
}

const CODINGS: Readonly<Record<ContentCoding, Coding>> = {
  gzip: { create: () => zlib.createGunzip({ chunkSize: CHUNK_BYTES }), windowBytes: MIB / 8 },
  deflate: { create: () => zlib.createInflate({ chunkSize: CHUNK_BYTES }), windowBytes: MIB / 8 },
  br: { create: () => zlib.createBrotliDecompress({ chunkSize: CHUNK_BYTES }), windowBytes: 16 * MIB },
  zstd: {
    create: () =>
      zlib.createZstdDecompress({
        chunkSize: CHUNK_BYTES,
        params: { [zlib.constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG },
      }),
    windowBytes: 2 ** ZSTD_WINDOW_LOG + MIB,
  },
};

/**
 * Returns the coding of the request's body; undefined if it has none.
 * @throws GatewayError `invalid_request` for an unknown coding and for several
 */
export function codingOf({ headers }: IncomingMessage): ContentCoding | undefined {
  const named = headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (named === 'identity' || named === '') return undefined;
  // An older name (RFC 9110, section 8.4.1.3).
  const coding = named === 'x-gzip' ? 'gzip' : named;
  if (isKnown(coding)) return coding;
  const detail = `Content-Encoding: must be one of ${Object.keys(CODINGS).join(', ')}`;
  throw new GatewayError('invalid_request', { detail });
}

const isKnown = (name: string): name is ContentCoding => Object.hasOwn(CODINGS, name);

export const createDecoder = (coding: ContentCoding): Decoder => CODINGS[coding].create();
export const windowBytesOf = (coding: ContentCoding): number => CODINGS[coding].windowBytes;

/** Texts with many repetitions are up to 50 times as large as what they compress to. */
const MAX_RATIO = 100;
/** Small bodies may have any ratio: they cost little. */
const ANY_RATIO_BYTES = MIB;

/** Returns the error for a body that is decompressed to far more than bodies have. */
export function refusalOfRatio(decodedBytes: number, encodedBytes: number): GatewayError | undefined {
  if (decodedBytes <= ANY_RATIO_BYTES || decodedBytes <= MAX_RATIO * encodedBytes) return undefined;
  return new GatewayError('invalid_request', {
    detail: `the body is more than ${MAX_RATIO} times as large as its compressed bytes`,
  });
}

export const malformedCoding = (coding: ContentCoding): GatewayError =>
  new GatewayError('invalid_request', { detail: `the body is not valid ${coding}` });
