import { createHash } from 'node:crypto';
import type { Account } from '@gateway/upstream';
import type { ChatProvider } from '../domain/chat-provider';
import type { ChatProviders } from './plan-call';

const NAME_CHARS = 12;

/**
 * Returns the providers with those that have a Responses API as they are called through it.
 * @param searches the calls search the web
 */
export function responseProviders(providers: ChatProviders, searches: boolean): ChatProviders {
  const responding = new WeakMap<ChatProvider, ChatProvider>();
  const respondingOf = ({ provider, credential }: Account<ChatProvider>): ChatProvider => {
    if (!provider.responses || (provider.respondsOnlyToSearch && !searches)) return provider;
    let known = responding.get(provider);
    if (!known) {
      known = { ...provider, ...provider.responses(accountName(provider.id, credential.id)) };
      responding.set(provider, known);
    }
    return known;
  };
  return {
    get loaded() {
      return providers.loaded;
    },
    accountsOf: (id) =>
      providers
        .accountsOf(id)
        .map((account) => ({ provider: respondingOf(account), credential: account.credential })),
  };
}

/** Callers see it: it tells them nothing about the operator's accounts. */
const accountName = (provider: string, credential: string): string =>
  createHash('sha256').update(`${provider}\n${credential}`).digest('hex').slice(0, NAME_CHARS);
