import { isUtf8 } from 'node:buffer';
import { GatewayError } from '@gateway/proto';
import express, { type RequestHandler } from 'express';

const MAX_BODY_BYTES = 1024 * 1024;

const parse = express.json({
  limit: MAX_BODY_BYTES,
  // Compressed bodies are refused: they could unfold to far more than they seem.
  inflate: false,
  strict: false,
  verify: (_request, _response, bytes) => {
    if (!isUtf8(bytes)) throw new GatewayError('invalid_request', { detail: 'the body is not UTF-8' });
  },
});

/** Reads a JSON body into `request.body`; leaves it undefined when the request has none. */
export const readJsonBody: RequestHandler = (request, response, next) => {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  if (encoding === undefined && (length === undefined || length === '0')) return next();
  if (!request.is('application/json')) {
    return next(new GatewayError('invalid_request', { detail: 'Content-Type is not application/json' }));
  }
  parse(request, response, next);
};

const DETAILS: Readonly<Record<string, string>> = {
  'entity.too.large': 'the body is larger than 1 MiB',
  'encoding.unsupported': 'compressed bodies are not read',
  'charset.unsupported': 'the body is not UTF-8',
};

/** The body parser's errors, as the contract has them; undefined for any other error. */
export function fromBodyError(error: unknown): GatewayError | undefined {
  if (!(error instanceof Error) || !('type' in error) || !('status' in error)) return undefined;
  if (typeof error.status !== 'number' || error.status >= 500) return undefined;
  return new GatewayError('invalid_request', {
    detail: DETAILS[String(error.type)] ?? 'the body is not valid JSON',
  });
}
