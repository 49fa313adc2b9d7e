import { GatewayError } from '@gateway/errors';
import { failureOf, toGatewayError } from '@gateway/upstream';
import { mayHaveArrived } from '../../domain/may-have-arrived';
import { MediaRefused } from '../../domain/media-refused';
import type { ImageTokens } from './image-provider';

/** A failed order, as its caller sees it and as it is billed. */
export interface ImageFailure {
  readonly error: GatewayError;
  /**
   * `none`: the provider charges nothing but `tokens`; `unknown`: the charge is unknown, and the operator bears it.
   */
  readonly charge: 'none' | 'unknown';
  readonly tokens?: ImageTokens;
}

/**
 * Maps every failure of a provider to one public error (docs/errors.md): `image_generation_failed`, unless the provider is
 * unreachable, asks for a wait, or blames the caller's parameters.
 */
export function imageFailure(error: unknown): ImageFailure {
  if (error instanceof MediaRefused) return refused(error);
  // A defect of the gateway: the call must not be retried.
  if (error instanceof GatewayError) return { error, charge: 'none' };
  const failure = failureOf(error);
  const publicError = toGatewayError(failure);
  const charge = failure.kind === 'broken' && mayHaveArrived(error) ? 'unknown' : 'none';
  if (publicError.code !== 'upstream_failed') return { error: publicError, charge };
  return { error: new GatewayError('image_generation_failed', { cause: publicError.cause }), charge };
}

/** A successful reply without an image. */
export function noImages(tokens: ImageTokens | undefined): ImageFailure {
  const cause = new Error('the provider generated no image');
  return {
    error: new GatewayError('image_generation_failed', { cause, detail: 'the provider generated no image' }),
    charge: 'none',
    ...(tokens && { tokens }),
  };
}

function refused({ detail, tokens }: MediaRefused): ImageFailure {
  return {
    error: new GatewayError('image_generation_failed', { detail, shouldRetry: false }),
    charge: 'none',
    ...(tokens && { tokens }),
  };
}
