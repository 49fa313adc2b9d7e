import type { CallerRequest } from './caller-request';
import type { ChatProvider } from './chat-provider';

/** Whether the provider receives the caller's own bytes, and the caller the provider's; otherwise both are translated. */
export const passesThrough = (
  { wire, usesFunctions }: Pick<CallerRequest, 'wire' | 'usesFunctions'>,
  provider: Pick<ChatProvider, 'wire' | 'lacksFunctions'>,
): boolean => provider.wire === wire && !(usesFunctions && provider.lacksFunctions);
