import type { LinkHandler } from '@gateway/link';
import { WithheldByKey } from '@gateway/models';
import type { KeyContext__Output } from '@gateway/proto/generated/gateway/edge/v1/KeyContext';

/** Who knows what a key is now; a call brings what its edge remembers. */
export interface CurrentKeys {
  current(known: KeyContext__Output): Promise<KeyContext__Output>;
}

/** For answers that tell what the key may call. */
export const withCurrentKey =
  (keys: CurrentKeys, handler: LinkHandler): LinkHandler =>
  async (context, call) =>
    handler(context, { ...call, key: await keys.current(call.key) });

/** Nothing is refused by what an edge remembers: the call starts again with the key as it is now if that cures it. */
export const refusedByCurrentKey =
  (keys: CurrentKeys, handler: LinkHandler): LinkHandler =>
  async (context, call) => {
    try {
      return await handler(context, call);
    } catch (error) {
      if (!(error instanceof WithheldByKey)) throw error;
      const key = await keys.current(call.key);
      if (!error.isCuredBy(key)) throw error;
      return handler(context, { ...call, key });
    }
  };
