import type { CallerRequest } from '../domain/caller-request';
import type { ChatProvider, WholeReply } from '../domain/chat-provider';
import { OriginalNames, renamedTools } from './fitted-tools';
import { hasPassedOutput, PassedOutput } from './passed-output';

/** Restores what the caller wrote in what a provider sends, before it is read or passed on. */
export interface Restorer {
  /** @param event of a stream */
  restore(event: Buffer): Buffer;
  restoreReply(reply: WholeReply): WholeReply;
}

/** Returns undefined if the provider got everything as the caller wrote it. */
export function restorerOf(request: CallerRequest, provider: ChatProvider): Restorer | undefined {
  const renamed = renamedTools(request, provider);
  const names = renamed && new OriginalNames(renamed);
  const output = hasPassedOutput(request, provider) ? new PassedOutput(request) : undefined;
  if (!names || !output) return names ?? output;
  return {
    restore: (event) => output.restore(names.restore(event)),
    restoreReply: (reply) => output.restoreReply(names.restoreReply(reply)),
  };
}
