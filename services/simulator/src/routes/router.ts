import type { Meter } from '../domain/meter';
import type { Call } from '../http/call';
import type { Provider } from '../providers/provider';
import { handleMeter } from './meter';

/**
 * The first segment of the path decides which provider is played; a bare `/v1/…` is the first provider's, so that
 * a client needs nothing but a base URL.
 */
export function createRouter(providers: readonly [Provider, ...Provider[]], meter: Meter) {
  const byName = new Map(providers.map((provider) => [provider.name, provider]));
  const [first] = providers;

  return (call: Call): void | Promise<void> => {
    const url = call.req.url ?? '/';
    const queryAt = url.indexOf('?');
    const path = queryAt === -1 ? url : url.slice(0, queryAt);
    const slash = path.indexOf('/', 1);
    const segment = path.slice(1, slash === -1 ? undefined : slash);
    if (segment === 'meter') {
      const query = new URLSearchParams(queryAt === -1 ? '' : url.slice(queryAt + 1));
      return handleMeter(call, path, query, meter);
    }
    const provider = byName.get(segment);
    if (provider === undefined) return first.handle(call, path);
    return provider.handle(call, slash === -1 ? '/' : path.slice(slash));
  };
}
