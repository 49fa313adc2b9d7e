import { Counter, Gauge, type Registry } from 'prom-client';

/** The part of a `Quota` of @gateway/quota that is exported. */
interface QuotaFigures {
  readonly used: number;
  readonly limit: number;
  /** Refused acquisitions by the limit that was reached. */
  readonly refusals: Readonly<Record<string, number>>;
}

export interface QuotaMetrics {
  /** Exports the quota under this name and returns it. */
  track<Q extends QuotaFigures>(name: string, quota: Q): Q;
}

/** Creates the metrics `<prefix>_quota_used`, `_limit` and `_refusals_total` in the registry. */
export function createQuotaMetrics(registry: Registry, prefix: string): QuotaMetrics {
  const quotas = new Map<string, QuotaFigures>();
  const registers = [registry];
  new Gauge({
    name: `${prefix}_quota_used`,
    help: 'Bytes or calls in use of each quota of this process',
    labelNames: ['quota'],
    registers,
    collect() {
      for (const [quota, { used }] of quotas) this.set({ quota }, used);
    },
  });
  new Gauge({
    name: `${prefix}_quota_limit`,
    help: 'Limit of each quota of this process',
    labelNames: ['quota'],
    registers,
    collect() {
      for (const [quota, { limit }] of quotas) this.set({ quota }, limit);
    },
  });
  new Counter({
    name: `${prefix}_quota_refusals_total`,
    help: 'Acquisitions that a quota refused, by the bound that was reached: limit (whole quota), holder (part of one holder)',
    labelNames: ['quota', 'bound'],
    registers,
    collect() {
      this.reset();
      for (const [quota, { refusals }] of quotas) {
        for (const [bound, count] of Object.entries(refusals)) this.inc({ quota, bound }, count);
      }
    },
  });
  return {
    track(name, quota) {
      quotas.set(name, quota);
      return quota;
    },
  };
}
