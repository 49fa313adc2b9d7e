import { ModelWithheld } from '@gateway/metering';
import type { KeyContext__Output } from '@gateway/proto/generated/gateway/edge/v1/KeyContext';

/**
 * For an answer that is there already: whatever has become of its model, a key gets none of a model that it may not call.
 * @throws ModelWithheld
 */
export const checkAllowed =
  (slug: string) =>
  ({ allowedModels }: Pick<KeyContext__Output, 'allowedModels'>): void => {
    if (allowedModels.length === 0 || allowedModels.includes(slug)) return;
    throw new ModelWithheld({ slug, active: true, preview: false });
  };
