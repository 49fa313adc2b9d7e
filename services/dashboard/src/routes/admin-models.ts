import { GatewayError } from '@gateway/errors';
import type { CatalogEditor } from '../clients/catalog-editor';
import type { ModelDirectory } from '../clients/model-directory';
import type { CatalogModel } from '../domain/listed-model';
import { catalogModelAnswer, listOf } from './answers';
import type { Endpoint, EndpointDoc, UserCall } from './endpoint';
import { createModelBody, delistBody, setPricesBody, statusBody, updateModelBody } from './model-input';
import { pageOfModels } from './page-of-models';
import { pageQuery, parseBody, parseQuery } from './parse-input';

interface Dependencies {
  readonly models: ModelDirectory;
  readonly editor: CatalogEditor;
}

export function adminModelEndpoints(deps: Dependencies): Endpoint[] {
  const endpoint = (
    method: 'GET' | 'POST',
    path: string,
    handle: (deps: Dependencies, call: UserCall) => Promise<unknown>,
    doc: Omit<EndpointDoc, 'answer' | 'codes'>,
    answer: EndpointDoc['answer'] = catalogModelAnswer,
  ): Endpoint => ({
    method,
    path,
    access: 'operator',
    handle: (call) => handle(deps, call),
    doc: { ...doc, answer, codes: ['model_not_found'] },
  });
  return [
    endpoint(
      'GET',
      '/admin/models',
      listModels,
      { summary: 'List all models, including delisted ones', query: pageQuery },
      listOf(catalogModelAnswer),
    ),
    endpoint('POST', '/admin/models', createModel, { summary: 'Add a model', body: createModelBody }),
    endpoint('GET', '/admin/models/*slug', async ({ models }, call) => knownModel(models, call), {
      summary: 'Retrieve a model and how it is served',
    }),
    endpoint('POST', '/admin/models/*slug/update', updateModel, {
      summary: 'Update a model; omitted fields stay unchanged',
      body: updateModelBody,
    }),
    endpoint('POST', '/admin/models/*slug/status', setStatus, {
      summary: 'Enable or disable a model',
      body: statusBody,
    }),
    endpoint('POST', '/admin/models/*slug/delist', delistModel, {
      summary: 'Delist a model and name its successor',
      body: delistBody,
    }),
    endpoint('POST', '/admin/models/*slug/prices', setPrices, {
      summary: 'Set the prices of a model, effective immediately',
      body: setPricesBody,
    }),
  ];
}

/** Includes delisted models. */
async function listModels({ models }: Dependencies, { query }: UserCall) {
  return pageOfModels([...models.all().values()], parseQuery(pageQuery, query));
}

async function createModel({ editor }: Dependencies, { context, body }: UserCall): Promise<CatalogModel> {
  const { status, pricing, ...fields } = parseBody(createModelBody, body);
  return editor.create(context, fields, status, pricing);
}

/** Catalog replaces whole entries; omitted fields are taken from the entry known here. */
async function updateModel({ models, editor }: Dependencies, call: UserCall): Promise<CatalogModel> {
  const given = parseBody(updateModelBody, call.body);
  const changed = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  // Only given fields: the entry known to this instance may be outdated.
  const replaced = {
    noImage: given.image === null,
    noVideo: given.video === null,
    aliases: given.aliases !== undefined,
  };
  return editor.update(call.context, { ...knownModel(models, call), ...changed }, replaced);
}

async function setStatus({ editor }: Dependencies, { context, params, body }: UserCall) {
  const { status } = parseBody(statusBody, body);
  return editor.setStatus(context, params.slug ?? '', status);
}

async function delistModel({ editor }: Dependencies, { context, params, body }: UserCall) {
  const { successor } = parseBody(delistBody, body ?? {});
  return editor.setStatus(context, params.slug ?? '', 'delisted', successor ?? undefined);
}

async function setPrices({ editor }: Dependencies, { context, params, body }: UserCall) {
  const { if_version, ...prices } = parseBody(setPricesBody, body);
  return editor.setPrices(context, params.slug ?? '', prices, if_version ?? undefined);
}

function knownModel(models: ModelDirectory, { params }: UserCall): CatalogModel {
  const model = models.all().get(params.slug ?? '');
  if (!model) throw new GatewayError('model_not_found');
  return model;
}
