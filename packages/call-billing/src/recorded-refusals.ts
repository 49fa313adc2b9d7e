import { GatewayError } from '@gateway/errors';
import type { LinkHandler } from '@gateway/link';
import { ClientDisconnected } from '@gateway/rpc';
import type { Refusal } from './refusal-reporter';

/** What the record of a failed call needs to know beyond its error. */
export interface FailedCall {
  readonly model: string;
  /** Money was held for it, or may have been: its settlement makes its record. */
  readonly held: boolean;
}

const failedCalls = new WeakMap<object, FailedCall>();

/**
 * Notes it of an error that a handler throws on; kept beside the error, so that only failures cost anything. What
 * was noted as held once stays so.
 */
export function noteFailure(thrown: unknown, call: FailedCall): void {
  if (typeof thrown !== 'object' || thrown === null) return;
  failedCalls.set(thrown, { ...call, held: call.held || failedCalls.get(thrown)?.held === true });
}

/** Reports the calls that `handler` refuses. */
export const recordedRefusals =
  (reporter: { add(refusal: Refusal): void }, handler: LinkHandler): LinkHandler =>
  (context, call) => {
    const startedAtMs = Date.now();
    return handler(context, call).catch((thrown: unknown) => {
      const failed = typeof thrown === 'object' && thrown !== null ? failedCalls.get(thrown) : undefined;
      if (!failed?.held) {
        const { accountId, keyId } = call.key;
        reporter.add({
          requestId: context.requestId,
          accountId,
          keyId,
          model: failed?.model ?? '',
          endpoint: call.path,
          startedAtMs,
          error: GatewayError.from(thrown),
          callerLeft: thrown instanceof ClientDisconnected,
        });
      }
      throw thrown;
    });
  };
