import type { ChatProvider } from '../domain/chat-provider';
import type { ChatProviders } from './plan-call';

/** Of a summary with the thinking before it. With a model's own maximum, a conversation that nearly fills its context would not fit. */
const MAX_SUMMARY_TOKENS = 16_384;

/** Returns the providers as they compact conversations: by their own API, or by an ordinary call for a summary. */
export const compactingProviders = (providers: ChatProviders): ChatProviders => ({
  get loaded() {
    return providers.loaded;
  },
  accountsOf: (id) =>
    providers.accountsOf(id).map(({ provider, credential }) => ({
      provider: provider.compaction ? { ...provider, ...provider.compaction } : summarizing(provider),
      credential,
    })),
});

const summarizing = (provider: ChatProvider): ChatProvider => ({
  ...provider,
  writeRequest: (conversation, model, maxOutputTokens, capabilities) =>
    provider.writeRequest(conversation, model, Math.min(maxOutputTokens, MAX_SUMMARY_TOKENS), capabilities),
});
