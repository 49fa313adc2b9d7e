import { environmentAccount, type Route } from './route';
import type { Target } from './target';

export function targetOf(provider: string, fields: Partial<Target> = {}): Target {
  return {
    provider,
    upstreamModel: 'm',
    weight: 1,
    priority: 0,
    connectTimeoutMs: 0,
    firstByteTimeoutMs: 0,
    idleTimeoutMs: 0,
    ...fields,
  };
}

export const routeOf = (provider: string): Route => ({
  ...environmentAccount({ id: provider }),
  target: targetOf(provider),
});
