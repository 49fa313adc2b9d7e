import { allowsModel } from '../../api/allows-model';
import type { Model } from '../../api/models';

const PROMPTS = {
  chat: { path: '/v1/chat/completions', body: { messages: [{ role: 'user', content: 'Hello!' }] } },
  image: { path: '/v1/images', body: { prompt: 'A lighthouse at dusk' } },
};

/** Keeps the first request cheap. */
const outputRate = ({ pricing }: Model): number => pricing?.tokens?.output ?? Number.POSITIVE_INFINITY;

/** Returns a curl command that works as it is, if the key allows a model that a single request can use. */
export function firstCall(
  apiUrl: string,
  created: { readonly key: string; readonly allowed_models: readonly string[] },
  catalog: readonly Model[],
): string | undefined {
  const usable = catalog.filter(
    (model) => model.status === 'active' && !model.preview && allowsModel(created, model),
  );
  const making = (modality: string) =>
    usable
      .filter(({ output_modalities }) => output_modalities.includes(modality))
      .toSorted((one, other) => outputRate(one) - outputRate(other))[0];
  const chat = making('text');
  const model = chat ?? making('image');
  if (!model) return undefined;
  const { path, body } = chat ? PROMPTS.chat : PROMPTS.image;
  return [
    `curl ${apiUrl}${path} \\`,
    `  -H "Authorization: Bearer ${created.key}" \\`,
    `  -H "Content-Type: application/json" \\`,
    `  -d '${JSON.stringify({ model: model.slug, ...body })}'`,
  ].join('\n');
}
