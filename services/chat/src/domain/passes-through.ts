import type { CallerRequest } from './caller-request';
import type { ChatProvider } from './chat-provider';

/** Whether the provider receives the caller's own bytes, and the caller the provider's; otherwise both are translated. */
export const passesThrough = (
  { wire, usesFunctions, compacts }: Pick<CallerRequest, 'wire' | 'usesFunctions' | 'compacts'>,
  provider: Pick<ChatProvider, 'wire' | 'lacksFunctions' | 'compaction'>,
): boolean =>
  provider.wire === wire &&
  !(usesFunctions && provider.lacksFunctions) &&
  !(compacts && !provider.compaction);
