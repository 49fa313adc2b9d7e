import type { ChatProvider } from './chat-provider';
import type { Model } from './model';
import type { RequestSize } from './upper-bound';

/**
 * Returns whether only the provider's figures tell what a call uses: because of hidden reasoning, or of images and files in
 * OpenAI's format, which reports the input last. The other formats report it in the first event.
 */
export function usageIsHidden(
  model: Pick<Model, 'hidesReasoning'>,
  { hasMedia, images = 0, pdfs = [] }: RequestSize,
  routes: readonly { readonly provider: Pick<ChatProvider, 'wire'> }[],
): boolean {
  if (model.hidesReasoning) return true;
  return (
    (hasMedia || images > 0 || pdfs.length > 0) && routes.some(({ provider }) => provider.wire === 'openai')
  );
}
