import { createMetrics } from '@gateway/process';
import type { TargetHealth, UpstreamFailure } from '@gateway/upstream';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Route } from './domain/route';

/** Counters of each target. */
export interface TargetMetrics {
  /** The reply began. */
  answered(route: Route, firstByteMs: number): void;
  failed(route: Route, failure: UpstreamFailure): void;
  /** A stream ended without its last marker. */
  streamBroke(provider: string): void;
  clientDisconnected(outcome: DisconnectOutcome): void;
}

/**
 * The outcome of a call whose client disconnected: cancelled before the reply began, and free; charged; or charged as far as
 * it could be counted.
 */
export type DisconnectOutcome = 'cancelled' | 'charged' | 'usage_unknown';

export function createChatMetrics(
  health: TargetHealth,
  abandoned: { readonly count: number },
): { registry: Registry; targets: TargetMetrics } {
  const registry = createMetrics();
  const registers = [registry];
  const labelNames = ['provider', 'upstream_model'] as const;
  const calls = new Counter({
    name: 'chat_target_calls_total',
    help: 'Calls to each target by outcome: answered, unreachable, broken, or the error status',
    labelNames: [...labelNames, 'outcome'],
    registers,
  });
  const firstByte = new Histogram({
    name: 'chat_target_first_byte_seconds',
    help: 'From the call to the first byte of the reply, or the first content of a stream (at most KEEP_ALIVE_MS)',
    labelNames: [...labelNames],
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
    registers,
  });
  const brokenStreams = new Counter({
    name: 'chat_broken_streams_total',
    help: 'Streams that failed after their first content',
    labelNames: ['provider'],
    registers,
  });
  const disconnects = new Counter({
    name: 'chat_caller_disconnects_total',
    help: 'Dispatched calls whose clients disconnected: cancelled before the reply, charged, or with unknown usage',
    labelNames: ['outcome'],
    registers,
  });
  new Gauge({
    name: 'chat_abandoned_calls',
    help: 'Calls in flight whose clients have disconnected and whose replies are still read',
    registers,
    collect() {
      this.set(abandoned.count);
    },
  });
  new Gauge({
    name: 'chat_target_circuit',
    help: '1 for the current state of the circuit of each target',
    labelNames: [...labelNames, 'state'],
    registers,
    collect() {
      this.reset();
      for (const { provider, upstreamModel, state } of health.states())
        this.set({ provider, upstream_model: upstreamModel, state }, 1);
    },
  });
  return {
    registry,
    targets: {
      answered({ provider, target }, firstByteMs) {
        calls.inc({ provider: provider.id, upstream_model: target.upstreamModel, outcome: 'answered' });
        firstByte.observe(
          { provider: provider.id, upstream_model: target.upstreamModel },
          firstByteMs / 1_000,
        );
      },
      failed({ provider, target }, failure) {
        const outcome = failure.kind === 'status' ? String(failure.status) : failure.kind;
        calls.inc({ provider: provider.id, upstream_model: target.upstreamModel, outcome });
      },
      streamBroke: (provider) => brokenStreams.inc({ provider }),
      clientDisconnected: (outcome) => disconnects.inc({ outcome }),
    },
  };
}
