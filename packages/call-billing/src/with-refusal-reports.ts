import { GatewayError } from '@gateway/errors';
import type { LinkHandler } from '@gateway/link';
import { ClientDisconnected } from '@gateway/rpc';
import type { Refusal } from './refusal-reporter';

/** Details of a failed call that its error does not contain. */
export interface FailedCall {
  readonly model: string;
  /** Money was or may have been reserved for the call: its settlement creates the record. */
  readonly hasHold: boolean;
}

const failedCalls = new WeakMap<object, FailedCall>();

/**
 * Attaches details of the failed call to the error that its handler throws, for withRefusalReports. Once set, `hasHold`
 * stays set.
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
        const { accountId, keyId, cell } = call.key;
        reporter.add({
          requestId: context.requestId,
          accountId,
          keyId,
          cell,
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
