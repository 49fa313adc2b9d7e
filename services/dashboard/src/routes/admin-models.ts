import { GatewayError } from '@gateway/errors';
import {
  catalogModelResponse,
  createModelBody,
  delistBody,
  statusBody,
  updateModelBody,
} from '../api/catalog-models';
import { listOf, pageQuery } from '../api/fields';
import { setPricesBody } from '../api/prices';
import type { CatalogEditor } from '../clients/catalog-editor';
import type { ModelDirectory } from '../clients/model-directory';
import type { CatalogModel } from '../domain/listed-model';
import { toModelFields } from '../domain/model-draft';
import { type Endpoint, endpoint } from './endpoint';
import { pageOfModels } from './page-of-models';

interface Dependencies {
  readonly models: ModelDirectory;
  readonly editor: CatalogEditor;
}

const model = { response: catalogModelResponse, codes: ['model_not_found'] } as const;

export function adminModelEndpoints({ models, editor }: Dependencies): Endpoint[] {
  function knownModel(slug: string | undefined): CatalogModel {
    const found = models.all().get(slug ?? '');
    if (!found) throw new GatewayError('model_not_found');
    return found;
  }
  return [
    endpoint('operator', 'GET /admin/models', {
      summary: 'List all models, including delisted ones',
      query: pageQuery,
      response: listOf(catalogModelResponse),
      codes: ['model_not_found'],
      handle: ({ query }) => pageOfModels([...models.all().values()], query),
    }),
    endpoint('operator', 'POST /admin/models', {
      ...model,
      summary: 'Add a model',
      body: createModelBody,
      handle: ({ context, body: { status, pricing, ...fields } }) =>
        editor.create(context, fields, status, pricing),
    }),
    endpoint('operator', 'GET /admin/models/*slug', {
      ...model,
      summary: 'Retrieve a model, including its targets',
      handle: ({ params }) => knownModel(params.slug),
    }),
    endpoint('operator', 'POST /admin/models/*slug/update', {
      ...model,
      summary: 'Update a model; omitted fields stay unchanged',
      body: updateModelBody,
      // Catalog replaces whole entries; omitted fields are taken from the entry known here.
      handle({ context, params, body }) {
        const changed = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
        // Only given fields: the entry known to this instance may be outdated.
        const options = {
          clearImage: body.image === null,
          clearVideo: body.video === null,
          setAliases: body.aliases !== undefined,
          setFallbackModels: body.fallback_models !== undefined,
        };
        return editor.update(context, { ...toModelFields(knownModel(params.slug)), ...changed }, options);
      },
    }),
    endpoint('operator', 'POST /admin/models/*slug/status', {
      ...model,
      summary: 'Enable or disable a model',
      body: statusBody,
      handle: ({ context, params, body }) => editor.setStatus(context, params.slug ?? '', body.status),
    }),
    endpoint('operator', 'POST /admin/models/*slug/delist', {
      ...model,
      summary: 'Delist a model and name its successor',
      body: delistBody,
      optionalBody: true,
      handle: ({ context, params, body }) =>
        editor.setStatus(context, params.slug ?? '', 'delisted', body.successor ?? undefined),
    }),
    endpoint('operator', 'POST /admin/models/*slug/prices', {
      ...model,
      summary: 'Set the prices of a model, effective immediately',
      body: setPricesBody,
      handle: ({ context, params, body: { if_version, ...prices } }) =>
        editor.setPrices(context, params.slug ?? '', prices, if_version ?? undefined),
    }),
  ];
}
