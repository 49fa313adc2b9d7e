import type { IncomingMessage } from 'node:http';
import zlib from 'node:zlib';
import { GatewayError } from '@gateway/errors';

/** A content coding of request bodies (RFC 9110, section 8.4). */
export type ContentCoding = 'gzip' | 'deflate' | 'br' | 'zstd';

/** A decoder is a stream; `bytesWritten` is what it has consumed. */
export type Decoder =
  | ReturnType<typeof zlib.createGunzip>
  | ReturnType<typeof zlib.createInflateRaw>
  | ReturnType<typeof zlib.createZstdDecompress>;

const MIB = 1024 ** 2;
/** The largest window of zstd that HTTP allows (RFC 9659). */
const ZSTD_WINDOW_LOG = 23;
/** Of each piece that a decoder returns. */
const CHUNK_BYTES = 64 * 1024;

interface Coding {
  /** @param firstByte of the body; undefined if it is empty */
  readonly create: (firstByte?: number) => Decoder;
  /** Memory that a decoder may take. */
  readonly windowBytes: number;
}

const CODINGS: Readonly<Record<ContentCoding, Coding>> = {
  gzip: { create: () => zlib.createGunzip({ chunkSize: CHUNK_BYTES }), windowBytes: MIB / 8 },
  deflate: { create: createAnyInflate, windowBytes: MIB / 8 },
  // Its window of 16 MiB, its tables, and pieces that are not read yet: 18 to 20 MiB are resident.
  br: { create: () => zlib.createBrotliDecompress({ chunkSize: CHUNK_BYTES }), windowBytes: 20 * MIB },
  zstd: {
    create: () =>
      zlib.createZstdDecompress({
        chunkSize: CHUNK_BYTES,
        params: { [zlib.constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG },
      }),
    windowBytes: 2 ** ZSTD_WINDOW_LOG + MIB,
  },
};

/** In the lower bits of a zlib header's first byte (RFC 1950, section 2.2), where deflate without a header has other ones. */
const ZLIB_METHOD = 8;

/** Some clients send deflate without the zlib header that HTTP asks for (RFC 9110, section 8.4.1.2). */
function createAnyInflate(firstByte?: number): Decoder {
  const isRaw = firstByte !== undefined && (firstByte & 15) !== ZLIB_METHOD;
  return (isRaw ? zlib.createInflateRaw : zlib.createInflate)({ chunkSize: CHUNK_BYTES });
}

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

/** @param firstByte of the body; undefined if it is empty */
export const createDecoder = (coding: ContentCoding, firstByte?: number): Decoder =>
  CODINGS[coding].create(firstByte);
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
