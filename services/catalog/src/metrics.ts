import { createMetrics } from '@gateway/process';
import { Gauge, type Registry } from 'prom-client';

/** Values are read when metrics are collected. */
export function createCatalogMetrics(read: { revision(): bigint; watchers(): number }): Registry {
  const registry = createMetrics();
  const gauge = (name: string, help: string, value: () => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(value());
      },
    });
  gauge('catalog_revision', 'Last revision that this instance has read', () => Number(read.revision()));
  gauge('catalog_watchers', 'Open watch streams', read.watchers);
  return registry;
}
