import type { ChatProviders } from './plan-call';

/** Returns the providers that have text completions, with what differs for those. */
export const completionProviders = (providers: ChatProviders): ChatProviders => ({
  get loaded() {
    return providers.loaded;
  },
  accountsOf: (id) =>
    providers
      .accountsOf(id)
      .flatMap(({ provider, credential }) =>
        provider.completions ? [{ provider: { ...provider, ...provider.completions }, credential }] : [],
      ),
});
