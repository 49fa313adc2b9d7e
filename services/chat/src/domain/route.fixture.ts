import { environmentAccount } from '@gateway/upstream';
import { targetOf } from '../../../../packages/upstream/src/route.fixture';
import type { ChatProvider } from './chat-provider';
import type { Route } from './route';

export { targetOf };

/** A provider that has only an id. */
export const providerOf = (id: string): ChatProvider => ({ id }) as unknown as ChatProvider;

export const routeOf = (provider: string): Route => ({
  ...environmentAccount(providerOf(provider)),
  target: targetOf(provider),
});
