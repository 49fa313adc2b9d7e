import { GatewayError } from '@gateway/errors';
import type { LinkHandler } from '@gateway/link';
import { ClientDisconnected } from '@gateway/rpc';
import type { Refusal } from './refusal-reporter';

/** What the record of a failed call needs in addition to its error. */
export interface FailedCall {
  readonly model: string;
  /** Money was or may have been reserved for the call: its settlement creates the record. */
  readonly hasHold: boolean;
}

const failedCalls = new WeakMap<object, FailedCall>();

/**
 * Attaches the failed call to the error that its handler throws; kept beside the error, so that only failures cost
 * anything. `hasHold` is never reset.
 */
export function annotateFailure(thrown: unknown, call: FailedCall): void {
  if (typeof thrown !== 'object' || thrown === null) return;
  failedCalls.set(thrown, { ...call, hasHold: call.hasHold || failedCalls.get(thrown)?.hasHold === true });
}

/** Wraps `handler` so that the calls it refuses are reported. */
export const withRefusalReports =
  (reporter: { add(refusal: Refusal): void }, handler: LinkHandler): LinkHandler =>
  (context, call) => {
    const startedAtMs = Date.now();
    return handler(context, call).catch((thrown: unknown) => {
      const failed = typeof thrown === 'object' && thrown !== null ? failedCalls.get(thrown) : undefined;
      if (!failed?.hasHold) {
        const { accountId, keyId } = call.key;
        reporter.add({
          requestId: context.requestId,
          accountId,
          keyId,
          model: failed?.model ?? '',
          endpoint: call.path,
          startedAtMs,
          error: GatewayError.from(thrown),
          clientDisconnected: thrown instanceof ClientDisconnected,
        });
      }
      throw thrown;
    });
  };
