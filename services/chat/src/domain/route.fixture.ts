import { type Account, environmentAccount } from '@gateway/upstream';
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

/** Returns a function for `routesOf` for providers with one credential each. */
export const environmentAccounts =
  <Provider extends { readonly id: string }>(providers: ReadonlyMap<string, Provider>) =>
  (id: string): readonly Account<Provider>[] => {
    const provider = providers.get(id);
    return provider ? [environmentAccount(provider)] : [];
  };
