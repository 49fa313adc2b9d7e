import type { KeyContext__Output } from '@gateway/proto/generated/gateway/edge/v1/KeyContext';
import type { LinkHandler } from '@gateway/runtime';
import { ModelWithheld, mayKnow } from './model-access';

/** Who knows what a key is now; a call brings what its edge remembers. */
export interface CurrentKeys {
  current(known: KeyContext__Output): Promise<KeyContext__Output>;
}

/** For answers that tell what the key may call. */
export const withCurrentKey =
  (keys: CurrentKeys, handler: LinkHandler): LinkHandler =>
  async (context, call) =>
    handler(context, { ...call, key: await keys.current(call.key) });

/** Nothing is refused by what an edge remembers: a call to a withheld model is begun anew if it is no longer. */
export const refusedByCurrentKey =
  (keys: CurrentKeys, handler: LinkHandler): LinkHandler =>
  async (context, call) => {
    try {
      return await handler(context, call);
    } catch (error) {
      if (!(error instanceof ModelWithheld)) throw error;
      const key = await keys.current(call.key);
      if (!mayKnow(error.model, key)) throw error;
      return handler(context, { ...call, key });
    }
  };
