import type { ChatProviders } from './plan-call';

/** Returns the providers with those that can compact conversations as they do it. The others get an ordinary call for a summary. */
export const compactingProviders = (providers: ChatProviders): ChatProviders => ({
  get loaded() {
    return providers.loaded;
  },
  accountsOf: (id) =>
    providers.accountsOf(id).map(({ provider, credential }) => ({
      provider: { ...provider, ...provider.compaction },
      credential,
    })),
});
