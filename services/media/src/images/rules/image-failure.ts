import { GatewayError } from '@gateway/errors';
import { failureOf, toGatewayError, UpstreamError, type UpstreamFailure } from '@gateway/upstream';
import { mayHaveArrived } from '../../domain/may-have-arrived';
import { MediaRefused } from '../../domain/media-refused';
import type { ImageTokens } from './image-provider';

/** A failed order, as its caller sees it and as it is billed. */
export interface ImageFailure {
  readonly error: GatewayError;
  /**
   * `none`: the provider charges nothing, or `tokens` and nothing more; `unknown`: what it charges is unknown, and not charged to
   * the caller.
   */
  readonly charge: 'none' | 'unknown';
  readonly tokens?: ImageTokens;
}

/** Refusals because of our account or of too many calls: nothing was started. */
const TURNED_AWAY = new Set([401, 402, 403, 404, 405, 429]);

/**
 * Maps every failure of a provider to one public error of spec 7.3: `image_generation_failed`, unless the provider is
 * unreachable, asks for a wait, or blames the caller's parameters.
 */
export function imageFailure(error: unknown): ImageFailure {
  if (error instanceof MediaRefused) return refused(error);
  // A defect of the gateway: the call must not be retried.
  if (error instanceof GatewayError) return { error, charge: 'none' };
  const failure = failureOf(error);
  const told = toGatewayError(failure);
  const charge = failure.kind === 'broken' && mayHaveArrived(error) ? 'unknown' : 'none';
  if (told.code !== 'upstream_failed') return { error: told, charge };
  return { error: new GatewayError('image_generation_failed', { cause: told.cause }), charge };
}

/** A successful reply without an image. */
export function nothingMade(tokens: ImageTokens | undefined): ImageFailure {
  const cause = new Error('the provider made no image');
  return {
    error: new GatewayError('image_generation_failed', { cause, detail: 'the provider made no image' }),
    charge: 'none',
    ...(tokens && { tokens }),
  };
}

/** No target began the order. */
export class NothingBegun extends UpstreamError {
  readonly mayHaveArrived = false;
}

/** The order surely came to nothing there, so that another target may get it: an order is never repeated blindly. */
export function surelyNotBegun(error: unknown): boolean {
  if (!(error instanceof UpstreamError)) return false;
  const { failure } = error;
  if (failure.kind === 'unreachable' || !mayHaveArrived(error)) return true;
  return failure.kind === 'status' && TURNED_AWAY.has(failure.status);
}

/** For the health of a target: a refused order speaks for it. */
export function targetFailureOf(error: unknown): UpstreamFailure | undefined {
  return error instanceof MediaRefused ? undefined : failureOf(error);
}

function refused({ detail, tokens }: MediaRefused): ImageFailure {
  return {
    error: new GatewayError('image_generation_failed', { detail, shouldRetry: false }),
    charge: 'none',
    ...(tokens && { tokens }),
  };
}
