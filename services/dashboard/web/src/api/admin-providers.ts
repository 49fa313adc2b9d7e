import { apiGet } from './client';

export type CircuitState = 'closed' | 'cooling' | 'suspect' | 'open' | 'half-open';

/** An upstream model of a provider, as reported by the instances of the service that calls it. */
export interface TargetHealth {
  readonly upstream_model: string;
  readonly service: 'chat' | 'media';
  /** Models that call it, by slug. */
  readonly models: readonly string[];
  /** The worst state that an instance reports; null if no reachable instance calls it. */
  readonly circuit: CircuitState | null;
  /** Number of instances by state. */
  readonly circuits: Readonly<Partial<Record<CircuitState, number>>>;
  readonly calls: number;
  readonly errors: number;
  /** Time to a chat reply's first byte, otherwise to the end; null if no recent call has a latency. */
  readonly latency: { readonly mean_ms: number; readonly max_ms: number } | null;
  readonly last_failure: {
    readonly code: string;
    readonly status: number | null;
    readonly at: string;
  } | null;
}

export interface ProviderHealth {
  readonly id: string;
  /** `nobody`: not configured. Null: the instances that know do not answer. */
  readonly served_by: 'credentials' | 'simulator' | 'nobody' | null;
  readonly targets: readonly TargetHealth[];
}

export interface ProvidersHealth {
  readonly data: readonly ProviderHealth[];
  readonly services: readonly {
    readonly service: 'chat' | 'media';
    readonly address: string;
    readonly status: 'up' | 'away';
  }[];
  /** The period that calls, errors and latencies cover. */
  readonly window_seconds: number;
}

export const getProviders = () => apiGet<ProvidersHealth>('admin/providers');
