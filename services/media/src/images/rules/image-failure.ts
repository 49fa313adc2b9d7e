import { GatewayError } from '@gateway/errors';
import { failureOf, toGatewayError, UpstreamError, type UpstreamFailure } from '@gateway/upstream';
import { mayHaveArrived } from '../../domain/may-have-arrived';
import { MediaRefused } from '../../domain/media-refused';
import type { ImageTokens } from './image-provider';

/** What a failed order is to its caller, and to its bill. */
export interface ImageFailure {
  readonly error: GatewayError;
  /**
   * `none`: the provider charges nothing, or `tokens` and nothing more; `unknown`: nobody can say what it charges, which
   * is not the caller's to pay.
   */
  readonly charge: 'none' | 'unknown';
  readonly tokens?: ImageTokens;
}

/** Refusals of our account, and of more calls for now: nothing was begun. */
const TURNED_AWAY = new Set([401, 402, 403, 404, 405, 429]);

/**
 * Total: whatever a provider does has one public error, of spec 7.3. Its errors are `image_generation_failed`, unless it
 * is out of reach as a whole, asks to be waited for, or blames the caller's parameters.
 */
export function imageFailure(error: unknown): ImageFailure {
  if (error instanceof MediaRefused) return refused(error);
  // Ours: it was not to be tried.
  if (error instanceof GatewayError) return { error, charge: 'none' };
  const failure = failureOf(error);
  const told = toGatewayError(failure);
  const charge = failure.kind === 'broken' && mayHaveArrived(error) ? 'unknown' : 'none';
  if (told.code !== 'upstream_failed') return { error: told, charge };
  return { error: new GatewayError('image_generation_failed', { cause: told.cause }), charge };
}

/** A reply of success with nothing in it. */
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
