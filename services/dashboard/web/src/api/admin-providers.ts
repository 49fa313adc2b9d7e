import { apiGet } from './client';

export type CircuitState = 'closed' | 'cooling' | 'suspect' | 'open' | 'half-open';

/** One upstream model of a provider, as the instances of a service that call it know it. */
export interface TargetHealth {
  readonly upstream_model: string;
  readonly service: 'chat' | 'media';
  /** That call it, by slug. */
  readonly models: readonly string[];
  /** The worst that an instance knows; null: none that is there calls it. */
  readonly circuit: CircuitState | null;
  /** How many instances know it in which state. */
  readonly circuits: Readonly<Partial<Record<CircuitState, number>>>;
  readonly calls: number;
  readonly errors: number;
  /** To a chat reply's first byte, else to the end; null: no call in this time has one. */
  readonly latency: { readonly mean_ms: number; readonly max_ms: number } | null;
  readonly last_failure: {
    readonly code: string;
    readonly status: number | null;
    readonly at: string;
  } | null;
}

export interface ProviderHealth {
  readonly id: string;
  /** `nobody`: not set up. Null: who could tell is away. */
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
  /** Which calls, errors and latencies are of. */
  readonly window_seconds: number;
}

export const getProviders = () => apiGet<ProvidersHealth>('admin/providers');
