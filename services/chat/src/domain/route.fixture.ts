import type { Target } from '@gateway/upstream';
import type { ChatProvider } from './chat-provider';
import type { Route } from './route';

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

/** A provider that can only be told from others. */
export const providerOf = (id: string): ChatProvider => ({ id }) as unknown as ChatProvider;

export const routeOf = (provider: string): Route => ({
  provider: providerOf(provider),
  target: targetOf(provider),
});
