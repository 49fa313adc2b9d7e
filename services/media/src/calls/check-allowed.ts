import { ModelNotAllowed } from '@gateway/models';
import type { KeyContext__Output } from '@gateway/proto/generated/gateway/edge/v1/KeyContext';
import type { ModelLookup } from '../domain/model';

/**
 * Checks access to an existing response or task: a key must be allowed to call its model, even if that model was delisted.
 * @param name as the client wrote it
 * @throws ModelNotAllowed
 */
export function checkAllowed(models: ModelLookup, name: string) {
  const slug = models.get(name)?.slug ?? name;
  return ({ allowedModels }: Pick<KeyContext__Output, 'allowedModels'>): void => {
    if (allowedModels.length === 0 || allowedModels.includes(slug)) return;
    throw new ModelNotAllowed({ slug, active: true, preview: false });
  };
}
