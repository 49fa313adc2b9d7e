import { ModelNotAllowed } from '@gateway/models';
import { allowsModel } from '@gateway/proto/allowed-models';
import type { KeyContext__Output } from '@gateway/proto/generated/gateway/edge/v1/KeyContext';
import type { ModelLookup } from '../domain/model';

/**
 * Checks access to an existing response or task: a key must be allowed to call its model, even if that model was delisted.
 * @param name as the client wrote it
 * @param output what the response or task has, for a model that the catalog no longer has
 * @throws ModelNotAllowed
 */
export function checkAllowed(models: ModelLookup, name: string, output: 'image' | 'video') {
  const { slug, outputModalities } = models.get(name) ?? { slug: name, outputModalities: [output] };
  return ({ allowedModels }: Pick<KeyContext__Output, 'allowedModels'>): void => {
    if (allowsModel(allowedModels, { slug, outputModalities })) return;
    throw new ModelNotAllowed({ slug, outputModalities, active: true, preview: false });
  };
}
