import type { Call } from '../http/call';
import { splitUrl } from '../http/url';
import type { Provider, ProviderDeps } from '../providers/provider';
import { handleFile } from '../providers/result-files';
import { handleMeter } from './meter';

/**
 * Routes by the first segment of the path, the provider's name. A bare `/v1/…` goes to the first provider, so that a client
 * needs only a base URL.
 */
export function createRouter(
  providers: readonly [Provider, ...Provider[]],
  deps: Pick<ProviderDeps, 'meter' | 'tasks' | 'nowMs'>,
) {
  const byName = new Map(providers.map((provider) => [provider.name, provider]));
  const [first] = providers;

  return (call: Call): void | Promise<void> => {
    const { path, query } = splitUrl(call.req.url ?? '/');
    const slash = path.indexOf('/', 1);
    const segment = path.slice(1, slash === -1 ? undefined : slash);
    if (segment === 'meter') return handleMeter(call, path, new URLSearchParams(query), deps);
    if (segment === 'files') return handleFile(call, path, deps);
    const provider = byName.get(segment);
    if (provider === undefined) return first.handle(call, path);
    return provider.handle(call, slash === -1 ? '/' : path.slice(slash));
  };
}
