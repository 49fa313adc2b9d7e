import { GatewayError } from '@gateway/errors';
import { isOfType, type ListedModel, MODEL_TYPES } from '@gateway/models';
import { z } from 'zod';
import { listOf, pageQuery } from '../api/fields';
import { modelDetailResponse, modelResponse, optedInResponse } from '../api/models';
import type { Billing } from '../clients/billing';
import type { ModelDirectory } from '../clients/model-directory';
import { toPublicModel } from '../domain/listed-model';
import { type Endpoint, endpoint } from './endpoint';
import { pageOfModels } from './page-of-models';

interface Dependencies {
  readonly models: ModelDirectory;
  readonly billing: Billing;
}

const listQuery = pageQuery.extend({ type: z.enum(MODEL_TYPES).optional() });

export function modelEndpoints({ models, billing }: Dependencies): Endpoint[] {
  function findModel(name: string | undefined): ListedModel {
    const model = models.find(name ?? '');
    if (!model) throw new GatewayError('model_not_found');
    return toPublicModel(model);
  }
  return [
    endpoint('viewer', 'GET /models', {
      summary: 'List models, by slug',
      query: listQuery,
      response: listOf(modelResponse),
      // Without delisted models; their detail names their successor.
      handle: ({ query: { type, ...page } }) => {
        const listed = [...models.all().values()]
          .filter((model) => model.status !== 'delisted' && (!type || isOfType(model, type)))
          .map(toPublicModel);
        return pageOfModels(listed, page);
      },
    }),
    endpoint('viewer', 'GET /models/*slug', {
      summary: 'Retrieve a model by its slug or an alias; a delisted model names its successor',
      response: modelDetailResponse,
      codes: ['model_not_found'],
      async handle({ context, user, params }) {
        const model = findModel(params.slug);
        if (!model.preview) return model;
        const { previewModels } = await billing.getAccount(context, user.accountId);
        return { ...model, opted_in: previewModels.includes(model.slug) };
      },
    }),
    endpoint('owner', 'POST /models/*slug/opt-in', {
      summary: "Opt in to a preview model, so that the account's keys may call it",
      response: optedInResponse,
      codes: ['model_not_found'],
      async handle({ context, user, params }) {
        const model = findModel(params.slug);
        if (model.status === 'delisted') throw new GatewayError('model_not_found');
        if (!model.preview)
          throw new GatewayError('invalid_request', { detail: `${model.slug} is not a preview model` });
        await billing.optIn(context, user.accountId, model.slug);
        return { ...model, opted_in: true as const };
      },
    }),
  ];
}
