import { createMetrics } from '@gateway/runtime';
import { Gauge, type Registry } from 'prom-client';

/** @param countBills by state, as of now */
export function createMediaMetrics(countBills: () => Promise<ReadonlyMap<string, number>>): {
  registry: Registry;
} {
  const registry = createMetrics();
  new Gauge({
    name: 'media_bills',
    help: 'Calls whose end billing has not acknowledged, of all instances, by state: open, dispatched, ended',
    labelNames: ['state'],
    registers: [registry],
    async collect() {
      this.reset();
      for (const [state, count] of await countBills()) this.set({ state }, count);
    },
  });
  return { registry };
}
