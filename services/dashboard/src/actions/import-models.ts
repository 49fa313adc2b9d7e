import { GatewayError } from '@gateway/errors';
import type { z } from 'zod';
import type { ImportOutcome, importModelsBody } from '../api/providers';
import type { Caller } from '../clients/billing';
import type { CatalogEditor } from '../clients/catalog-editor';
import type { ModelDirectory } from '../clients/model-directory';
import { isTarget, suggestedSlug } from '../domain/endpoint-model';
import { type TargetDraft, toModelFields } from '../domain/model-draft';

interface Dependencies {
  readonly models: ModelDirectory;
  readonly editor: CatalogEditor;
}

type ImportedModel = z.output<typeof importModelsBody>['models'][number];

/** Lists models of a provider in the catalog, one after the other. A refused one does not stop the others. */
export async function importModels(
  deps: Dependencies,
  caller: Caller,
  provider: string,
  imported: readonly ImportedModel[],
): Promise<ImportOutcome[]> {
  const outcomes: ImportOutcome[] = [];
  for (const model of imported) {
    const { upstream_model } = model;
    const slug = model.slug ?? suggestedSlug(provider, upstream_model);
    try {
      outcomes.push({
        upstream_model,
        slug,
        outcome: await importModel(deps, caller, provider, slug, model),
      });
    } catch (error) {
      const { row, detail, message } = GatewayError.from(error);
      if (row.status >= 500) throw error;
      outcomes.push({ upstream_model, slug, outcome: 'refused', detail: detail ?? message });
    }
  }
  return outcomes;
}

async function importModel(
  { models, editor }: Dependencies,
  caller: Caller,
  provider: string,
  slug: string,
  { upstream_model, weight, priority, cost, pricing, name, ...fields }: ImportedModel,
): Promise<Exclude<ImportOutcome['outcome'], 'refused'>> {
  const target: TargetDraft = {
    provider,
    upstream_model,
    weight,
    priority,
    connect_timeout_ms: 0,
    first_byte_timeout_ms: 0,
    idle_timeout_ms: 0,
    cost,
  };
  const known = models.all().get(slug);
  if (known) {
    if (known.targets.some((one) => isTarget(one, provider, upstream_model))) return 'unchanged';
    const fields = toModelFields(known);
    await editor.update(caller, { ...fields, targets: [...fields.targets, target] });
    return 'target_added';
  }
  if (!pricing)
    throw new GatewayError('missing_parameter', { param: 'pricing', detail: 'a new model needs prices' });
  const listed = {
    ...fields,
    // Many endpoints list only the context, which bounds the output too.
    max_output_tokens: fields.max_output_tokens || fields.context_length,
    slug,
    name: name ?? upstream_model,
    aliases: [],
    preview: false,
    successor: null,
    output_floor_tokens: 0,
    max_image_tokens: 0,
    workflow: [],
    strategy: 'weighted' as const,
    fallback_models: [],
    targets: [target],
    image: null,
    video: null,
  };
  await editor.create(caller, listed, 'active', pricing);
  return 'created';
}
