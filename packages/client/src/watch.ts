import { type ErrorFields, GatewayError } from './gateway-error.ts';

/** Bounds one attempt. */
export interface Watch {
  /** Aborted with the reason of the caller's signal, or with `deadline_exceeded` or `connection_failed`. */
  readonly signal: AbortSignal;
  /** Aborts the attempt unless it is called again in time. Undefined: no such bound from now on. */
  expectWithin(ms: number | undefined): void;
  /** Aborts what still runs, and releases timers and listeners. */
  end(): void;
}

export function startWatch(caller: AbortSignal | undefined, remainingMs: number): Watch {
  const controller = new AbortController();
  const stop = () => controller.abort(caller?.reason);
  if (caller?.aborted) stop();
  caller?.addEventListener('abort', stop, { once: true });
  const deadline = setTimeout(() => controller.abort(deadlineExceeded()), remainingMs);
  let idle: ReturnType<typeof setTimeout> | undefined;
  return {
    signal: controller.signal,
    expectWithin(ms) {
      clearTimeout(idle);
      if (ms === undefined) return;
      const cause = new Error(`nothing received for ${ms} ms`);
      idle = setTimeout(() => controller.abort(connectionFailed({ cause })), ms);
    },
    end() {
      clearTimeout(deadline);
      clearTimeout(idle);
      caller?.removeEventListener('abort', stop);
      controller.abort();
    },
  };
}

export const deadlineExceeded = (fields: ErrorFields = {}) =>
  new GatewayError('deadline_exceeded', 'The deadline of the call has passed.', fields);

export const connectionFailed = (fields: ErrorFields) =>
  new GatewayError('connection_failed', 'The connection to the gateway failed.', fields);
