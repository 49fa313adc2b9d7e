import { createMetrics } from '@gateway/process';
import {
  type AttemptMetrics,
  type DailyCosts,
  failureName,
  type Route,
  type TargetHealth,
} from '@gateway/upstream';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** Counters of each target. */
export interface TargetMetrics extends AttemptMetrics {
  /** A fallback model answered instead of the model that the client named. */
  fellBack(model: string, fallback: string): void;
  /** A stream ended without its last marker. */
  streamBroke(provider: string): void;
  clientDisconnected(outcome: DisconnectOutcome): void;
}

/** Counts the responses that were to be stored. */
export interface ResponseStorageMetrics {
  saved(outcome: 'saved' | 'failed'): void;
}

/**
 * The outcome of a call whose client disconnected: cancelled before the reply began, and free; charged; or charged as far as
 * it could be counted.
 */
export type DisconnectOutcome = 'cancelled' | 'charged' | 'usage_unknown';

export interface ChatMetricsSources {
  callsInFlight(): number;
  readonly health: TargetHealth;
  readonly abandoned: { readonly count: number };
  readonly dailyCosts: Pick<DailyCosts, 'usedParts'>;
}

export function createChatMetrics({ callsInFlight, health, abandoned, dailyCosts }: ChatMetricsSources): {
  registry: Registry;
  targets: TargetMetrics;
  responses: ResponseStorageMetrics;
  journalTakenOver(): void;
} {
  const registry = createMetrics();
  const registers = [registry];
  const labelNames = ['provider', 'upstream_model'] as const;
  const credentialLabels = ['provider', 'credential'] as const;
  const calls = new Counter({
    name: 'chat_target_calls_total',
    help: 'Calls to each target by outcome: answered, unreachable, broken, or the error status',
    labelNames: [...labelNames, 'outcome'],
    registers,
  });
  const credentialCalls = new Counter({
    name: 'chat_credential_calls_total',
    help: 'Calls with each credential by outcome, as chat_target_calls_total has it',
    labelNames: [...credentialLabels, 'outcome'],
    registers,
  });
  const firstByte = new Histogram({
    name: 'chat_target_first_byte_seconds',
    help: 'From the call to the first byte of the reply, or the first content of a stream (at most KEEP_ALIVE_MS)',
    labelNames: [...labelNames],
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
    registers,
  });
  const fallbacks = new Counter({
    name: 'chat_fallback_calls_total',
    help: 'Calls that a fallback model answered, by the requested model and the one that answered',
    labelNames: ['model', 'fallback_model'],
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
  const storedResponses = new Counter({
    name: 'chat_stored_responses_total',
    help: 'Responses to be stored, by outcome: saved, or failed, of which clients receive store: false',
    labelNames: ['outcome'],
    registers,
  });
  const takenOver = new Counter({
    name: 'chat_journals_taken_over_total',
    help: 'Journals in PostgreSQL of instances that stopped or died with calls, which this instance ended',
    registers,
  });
  new Gauge({
    name: 'chat_calls_in_flight',
    help: 'Calls of edge and storage that have not ended',
    registers,
    collect() {
      this.set(callsInFlight());
    },
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
    help: 'Credentials for which the circuit of the target is in this state',
    labelNames: [...labelNames, 'state'],
    registers,
    collect() {
      this.reset();
      for (const { provider, upstreamModel, state } of health.states())
        this.inc({ provider, upstream_model: upstreamModel, state });
    },
  });
  addCredentialGauges(registry, health, dailyCosts);
  const countCall = ({ provider: { id: provider }, credential, target }: Route, outcome: string) => {
    calls.inc({ provider, upstream_model: target.upstreamModel, outcome });
    credentialCalls.inc({ provider, credential: credential.name, outcome });
  };
  return {
    registry,
    targets: {
      answered(route, firstByteMs) {
        const { provider, target } = route;
        countCall(route, 'answered');
        firstByte.observe(
          { provider: provider.id, upstream_model: target.upstreamModel },
          firstByteMs / 1_000,
        );
      },
      failed(route, failure) {
        countCall(route, failureName(failure));
      },
      fellBack: (model, fallback_model) => fallbacks.inc({ model, fallback_model }),
      streamBroke: (provider) => brokenStreams.inc({ provider }),
      clientDisconnected: (outcome) => disconnects.inc({ outcome }),
    },
    responses: { saved: (outcome) => storedResponses.inc({ outcome }) },
    journalTakenOver: () => takenOver.inc(),
  };
}

function addCredentialGauges(
  registry: Registry,
  health: TargetHealth,
  dailyCosts: Pick<DailyCosts, 'usedParts'>,
): void {
  new Gauge({
    name: 'chat_credential_circuit',
    help: '1 for the current state of each credential: not closed after the provider rejected it',
    labelNames: ['provider', 'credential', 'state'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { provider, name, state } of health.credentialReports())
        this.set({ provider, credential: name, state }, 1);
    },
  });
  new Gauge({
    name: 'chat_credential_daily_cost_ratio',
    help: 'Part of its daily cost limit that each credential with a limit has used; 1 or more: it gets no calls until midnight UTC',
    labelNames: ['provider', 'credential'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { provider, name, used } of dailyCosts.usedParts())
        this.set({ provider, credential: name }, used);
    },
  });
}
