import { createMetrics } from '@gateway/process';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { KeyCache } from './domain/key-cache';
import type { Exchange } from './http/exchange';

export interface EdgeMetrics {
  readonly registry: Registry;
  begin(): void;
  /** Called once per exchange, when its response is closed. */
  end(exchange: Exchange): void;
  readonly unparsable: { inc(): void };
}

interface Sources {
  readonly keys: KeyCache;
  readonly accessLog: { readonly dropped: number };
}

export function createEdgeMetrics(sources: Sources): EdgeMetrics {
  const registry = createMetrics();
  const registers = [registry];
  const requests = new Counter({
    name: 'edge_requests_total',
    help: 'Requests by route, status (0: the client disconnected first) and error code',
    labelNames: ['route', 'status', 'code'],
    registers,
  });
  const seconds = new Histogram({
    name: 'edge_request_seconds',
    help: 'From the parsed head to the end of the response',
    labelNames: ['route'],
    buckets: [0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
    registers,
  });
  const inFlight = new Gauge({ name: 'edge_requests_in_flight', help: 'Requests in flight', registers });
  const unparsable = new Counter({
    name: 'edge_unparsable_requests_total',
    help: 'Requests refused by the HTTP parser or its timeouts',
    registers,
  });
  registerSources(sources, registers);

  // Resolving labels costs more than incrementing the series.
  const counters = new Map<string, { inc(): void }>();
  const timers = new Map<string, { observe(value: number): void }>();
  return {
    registry,
    unparsable,
    begin: () => inFlight.inc(),
    end({ route, response, errorCode, startedMs }) {
      inFlight.dec();
      const status = response.headersSent ? response.statusCode : 0;
      const series = `${route} ${status} ${errorCode}`;
      let counter = counters.get(series);
      if (!counter) {
        counter = requests.labels(route, String(status), errorCode);
        counters.set(series, counter);
      }
      counter.inc();
      let timer = timers.get(route);
      if (!timer) {
        timer = seconds.labels(route);
        timers.set(route, timer);
      }
      timer.observe((performance.now() - startedMs) / 1_000);
    },
  };
}

function registerSources({ keys, accessLog }: Sources, registers: Registry[]) {
  new Gauge({
    name: 'edge_key_cache_entries',
    help: 'Cached keys',
    registers,
    collect() {
      this.set(keys.size);
    },
  });
  new Counter({
    name: 'edge_key_lookups_total',
    help: 'Key lookups by result',
    labelNames: ['result'],
    registers,
    collect() {
      this.reset();
      for (const [result, value] of Object.entries(keys.lookups)) this.inc({ result }, value);
    },
  });
  new Counter({
    name: 'edge_access_log_dropped_total',
    help: 'Calls without an entry in the access log, because there were too many or billing was unreachable',
    registers,
    collect() {
      this.reset();
      this.inc(accessLog.dropped);
    },
  });
}
