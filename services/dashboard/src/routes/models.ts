import { GatewayError } from '@gateway/proto';
import { z } from 'zod';
import type { ModelDirectory } from '../clients/model-directory';
import { isOfType, type ListedModel } from '../domain/listed-model';
import type { Endpoint, UserCall } from './endpoint';
import { pageQuery, parseQuery } from './parse-input';
import { toList } from './to-json';

const listQuery = pageQuery.extend({ type: z.enum(['chat', 'image', 'video']).optional() });

export function modelEndpoints(models: ModelDirectory): Endpoint[] {
  return [
    { method: 'GET', path: '/models', access: 'user', handle: async (call) => listModels(models, call) },
    { method: 'GET', path: '/models/*slug', access: 'user', handle: async (call) => getModel(models, call) },
  ];
}

/** Delisted models are out of the list; their detail says what took their place. */
function listModels(models: ModelDirectory, { query }: UserCall) {
  const { type, limit, cursor } = parseQuery(listQuery, query);
  const after = decodeCursor(cursor);
  const rest = [...models.all().values()]
    .filter((model) => model.status !== 'delisted' && (!type || isOfType(model, type)))
    .filter((model) => model.slug > after)
    .sort((one, other) => (one.slug < other.slug ? -1 : 1));
  const page = rest.slice(0, limit);
  return toList(page, rest.length > limit ? encodeCursor(page.at(-1)!) : '');
}

function getModel(models: ModelDirectory, { params }: UserCall): ListedModel {
  const model = models.all().get(params.slug ?? '');
  if (!model) throw new GatewayError('model_not_found');
  return model;
}

const encodeCursor = ({ slug }: ListedModel): string => Buffer.from(slug).toString('base64url');

function decodeCursor(cursor: string): string {
  const slug = Buffer.from(cursor, 'base64url').toString();
  if (Buffer.from(slug).toString('base64url') === cursor) return slug;
  throw new GatewayError('invalid_request', { detail: 'cursor is not one that a list answered' });
}
