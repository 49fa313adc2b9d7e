import { GatewayError } from '@gateway/proto';
import type { CatalogEditor } from '../clients/catalog-editor';
import type { ModelDirectory } from '../clients/model-directory';
import type { CatalogModel } from '../domain/listed-model';
import type { Endpoint, UserCall } from './endpoint';
import { createModelBody, delistBody, pricesBody, statusBody, updateModelBody } from './model-input';
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
  ): Endpoint => ({ method, path, access: 'operator', handle: (call) => handle(deps, call) });
  return [
    endpoint('GET', '/admin/models', listModels),
    endpoint('POST', '/admin/models', createModel),
    endpoint('GET', '/admin/models/*slug', async ({ models }, call) => knownModel(models, call)),
    endpoint('POST', '/admin/models/*slug/update', updateModel),
    endpoint('POST', '/admin/models/*slug/status', setStatus),
    endpoint('POST', '/admin/models/*slug/delist', delistModel),
    endpoint('POST', '/admin/models/*slug/prices', setPrices),
  ];
}

/** Delisted ones too. */
async function listModels({ models }: Dependencies, { query }: UserCall) {
  return pageOfModels([...models.all().values()], parseQuery(pageQuery, query));
}

async function createModel({ editor }: Dependencies, { context, body }: UserCall): Promise<CatalogModel> {
  const { status, pricing, ...fields } = parseBody(createModelBody, body);
  return editor.create(context, fields, status, pricing);
}

/** Catalog replaces whole entries; what the call leaves out is taken from the one known here. */
async function updateModel({ models, editor }: Dependencies, call: UserCall): Promise<CatalogModel> {
  const given = parseBody(updateModelBody, call.body);
  const changed = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return editor.update(call.context, { ...knownModel(models, call), ...changed });
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
  return editor.setPrices(context, params.slug ?? '', parseBody(pricesBody, body));
}

function knownModel(models: ModelDirectory, { params }: UserCall): CatalogModel {
  const model = models.all().get(params.slug ?? '');
  if (!model) throw new GatewayError('model_not_found');
  return model;
}
