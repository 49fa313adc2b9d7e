import type { ChatProvider } from './chat-provider';
import type { ApiFormat } from './conversation';
import type { Model } from './model';
import type { RequestSize } from './upper-bound';

/** Their first event reports the input; other formats report it in the last one. */
const REPORT_INPUT_FIRST: ReadonlySet<ApiFormat> = new Set(['anthropic', 'gemini']);

/**
 * Returns whether only the provider's figures tell what a call uses: because of hidden reasoning, of searches, or of images,
 * audio and files in a format that reports the input last, or of a spoken reply.
 */
export function usageIsHidden(
  model: Pick<Model, 'hidesReasoning'>,
  { hasMedia, images = 0, pdfs = [], audio, speaks, webSearches = 0 }: RequestSize,
  routes: readonly { readonly provider: Pick<ChatProvider, 'wire'> }[],
): boolean {
  if (model.hidesReasoning || webSearches > 0) return true;
  const isCounted = !hasMedia && images === 0 && pdfs.length === 0 && !audio && !speaks;
  return !isCounted && routes.some(({ provider }) => !REPORT_INPUT_FIRST.has(provider.wire));
}
