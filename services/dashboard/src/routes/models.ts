import { GatewayError } from '@gateway/errors';
import { isOfType, type ListedModel, MODEL_TYPES } from '@gateway/models';
import { z } from 'zod';
import type { Billing } from '../clients/billing';
import type { ModelDirectory } from '../clients/model-directory';
import { withoutService } from '../domain/listed-model';
import { listOf, modelAnswer, modelDetailAnswer, optedInAnswer } from './answers';
import type { Endpoint, UserCall } from './endpoint';
import { pageOfModels } from './page-of-models';
import { noFields, pageQuery, parseBody, parseQuery } from './parse-input';

interface Dependencies {
  readonly models: ModelDirectory;
  readonly billing: Billing;
}

const listQuery = pageQuery.extend({ type: z.enum(MODEL_TYPES).optional() });

export function modelEndpoints(deps: Dependencies): Endpoint[] {
  return [
    {
      method: 'GET',
      path: '/models',
      access: 'viewer',
      handle: async (call) => listModels(deps, call),
      doc: { summary: 'List models, by slug', query: listQuery, answer: listOf(modelAnswer) },
    },
    {
      method: 'GET',
      path: '/models/*slug',
      access: 'viewer',
      handle: (call) => getModel(deps, call),
      doc: {
        summary: 'Retrieve a model by its slug or an alias; a delisted model names its successor',
        answer: modelDetailAnswer,
        codes: ['model_not_found'],
      },
    },
    {
      method: 'POST',
      path: '/models/*slug/opt-in',
      access: 'owner',
      handle: (call) => optIn(deps, call),
      doc: {
        summary: "Opt in to a preview model, so that the account's keys may call it",
        answer: optedInAnswer,
        codes: ['model_not_found'],
      },
    },
  ];
}

/** The list omits delisted models; their detail names their successor. */
function listModels({ models }: Dependencies, { query }: UserCall) {
  const { type, ...page } = parseQuery(listQuery, query);
  const listed = [...models.all().values()]
    .filter((model) => model.status !== 'delisted' && (!type || isOfType(model, type)))
    .map(withoutService);
  return pageOfModels(listed, page);
}

/** For a preview model, includes whether the account has opted in. */
async function getModel(deps: Dependencies, call: UserCall) {
  const model = findModel(deps, call);
  if (!model.preview) return model;
  const { previewModels } = await deps.billing.getAccount(call.context, call.user.accountId);
  return { ...model, opted_in: previewModels.includes(model.slug) };
}

function findModel({ models }: Dependencies, { params }: UserCall): ListedModel {
  const model = models.find(params.slug ?? '');
  if (!model) throw new GatewayError('model_not_found');
  return withoutService(model);
}

/** Lets the account's keys call a preview model. Idempotent. */
async function optIn(deps: Dependencies, call: UserCall) {
  parseBody(noFields, call.body ?? {});
  const model = findModel(deps, call);
  if (model.status === 'delisted') throw new GatewayError('model_not_found');
  if (!model.preview)
    throw new GatewayError('invalid_request', { detail: `${model.slug} is not a preview model` });
  await deps.billing.optIn(call.context, call.user.accountId, model.slug);
  return { ...model, opted_in: true };
}
