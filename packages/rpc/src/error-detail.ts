import path from 'node:path';
import { GatewayError, type GatewayErrorOptions } from '@gateway/errors';
import type {
  ErrorDetail,
  ErrorDetail__Output,
} from '@gateway/proto/generated/gateway/common/v1/ErrorDetail';
import protobuf from 'protobufjs';
import { fromProtoRates, toProtoRates } from './rate-figures-message';

/** Metadata key of the trailer that carries an encoded ErrorDetail. */
export const ERROR_TRAILER = 'gateway-error-bin';

let loadedType: protobuf.Type | undefined;

function detailType(): protobuf.Type {
  loadedType ??= protobuf
    .loadSync(
      path.join(
        path.dirname(require.resolve('@gateway/proto/package.json')),
        'gateway/common/v1/error.proto',
      ),
    )
    .lookupType('gateway.common.v1.ErrorDetail');
  return loadedType;
}

export function toErrorDetail(error: GatewayError): ErrorDetail {
  const detail: ErrorDetail = { code: error.code };
  if (error.param !== undefined) detail.param = error.param;
  if (error.detail !== undefined) detail.detail = error.detail;
  if (error.formatCode !== undefined) detail.formatCode = error.formatCode;
  if (error.cap) {
    detail.limitNano = error.cap.limitNano.toString();
    detail.usedNano = error.cap.usedNano.toString();
    if (error.cap.resetsAtMs !== undefined) detail.resetsAtMs = String(error.cap.resetsAtMs);
  }
  if (error.retryAfterSeconds !== undefined) detail.retryAfterSeconds = error.retryAfterSeconds;
  if (error.rates) detail.rates = toProtoRates(error.rates);
  if (error.maxTokens !== undefined) detail.maxTokens = error.maxTokens;
  if (error.shouldRetry !== undefined) detail.shouldRetry = error.shouldRetry;
  return detail;
}

export function fromErrorDetail(detail: ErrorDetail__Output): GatewayError {
  const options: { -readonly [K in keyof GatewayErrorOptions]: GatewayErrorOptions[K] } = {};
  if (detail.param) options.param = detail.param;
  if (detail.detail) options.detail = detail.detail;
  if (detail.formatCode) options.formatCode = detail.formatCode;
  if (detail.limitNano !== undefined && detail.usedNano !== undefined) {
    const cap = { limitNano: BigInt(detail.limitNano), usedNano: BigInt(detail.usedNano) };
    options.cap = detail.resetsAtMs === undefined ? cap : { ...cap, resetsAtMs: Number(detail.resetsAtMs) };
  }
  if (detail.retryAfterSeconds !== undefined) options.retryAfterSeconds = detail.retryAfterSeconds;
  if (detail.rates) options.rates = fromProtoRates(detail.rates);
  if (detail.maxTokens !== undefined) options.maxTokens = detail.maxTokens;
  if (detail.shouldRetry !== undefined) options.shouldRetry = detail.shouldRetry;
  return GatewayError.fromCode(detail.code, options);
}

export function encodeErrorDetail(error: GatewayError): Buffer {
  return Buffer.from(
    detailType()
      .encode(detailType().fromObject(toErrorDetail(error)))
      .finish(),
  );
}

export function decodeErrorDetail(bytes: Uint8Array): GatewayError {
  const message = detailType().decode(bytes);
  const detail = detailType().toObject(message, { longs: String, defaults: false }) as ErrorDetail__Output;
  return fromErrorDetail(detail);
}
