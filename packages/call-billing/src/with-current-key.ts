import type { LinkHandler } from '@gateway/link';
import { ModelPermissionError } from '@gateway/models';
import type { KeyContext__Output } from '@gateway/proto/generated/gateway/edge/v1/KeyContext';

/** Looks up the current state of a key; a call carries the state that edge cached. */
export interface CurrentKeys {
  current(known: KeyContext__Output): Promise<KeyContext__Output>;
}

/** Wraps `handler` so that it sees the key's current state, for answers that list what the key may call. */
export const withCurrentKey =
  (keys: CurrentKeys, handler: LinkHandler): LinkHandler =>
  async (context, call) =>
    handler(context, { ...call, key: await keys.current(call.key) });

/** Wraps `handler` so that a refusal based on the cached key is retried with its current state if that allows the call. */
export const retryWithCurrentKey =
  (keys: CurrentKeys, handler: LinkHandler): LinkHandler =>
  async (context, call) => {
    try {
      return await handler(context, call);
    } catch (error) {
      if (!(error instanceof ModelPermissionError)) throw error;
      const key = await keys.current(call.key);
      if (!error.isAllowedWith(key)) throw error;
      return handler(context, { ...call, key });
    }
  };
