import { GatewayError } from '@gateway/proto';
import type { LinkCall, LinkReply, RequestContext } from '@gateway/runtime';
import { isServed, type Model, mayCall } from '../domain/model';
import { toOpenAiModel } from '../formats/openai/model-list';
import type { Admission } from './admission';

export interface ModelList {
  get(slug: string): Model | undefined;
  all(): Model[];
}

export interface ModelListDeps {
  readonly models: ModelList;
  readonly providers: ReadonlyMap<string, unknown>;
  readonly admission: Pick<Admission, 'admitFree'>;
}

/** `GET /v1/models`: what this key may call here. */
export function listModels({ models, providers, admission }: ModelListDeps) {
  return async (context: RequestContext, call: LinkCall): Promise<LinkReply> => {
    const headers = await admission.admitFree(context, call.key);
    const callable = models.all().filter((model) => isServed(model, providers) && mayCall(model, call.key));
    return jsonReply({ object: 'list', data: callable.map(toOpenAiModel) }, headers);
  };
}

/** `GET /v1/models/{slug}`. @throws GatewayError `model_not_found` */
export function getModel({ models, providers, admission }: ModelListDeps) {
  return async (context: RequestContext, call: LinkCall): Promise<LinkReply> => {
    const slug = slugOf(call.path);
    const model = slug === undefined ? undefined : models.get(slug);
    if (!model || !isServed(model, providers) || !mayCall(model, call.key)) {
      throw new GatewayError('model_not_found');
    }
    return jsonReply(toOpenAiModel(model), await admission.admitFree(context, call.key));
  };
}

function slugOf(path: string): string | undefined {
  try {
    return decodeURIComponent(path.slice('/v1/models/'.length));
  } catch {
    return undefined;
  }
}

function jsonReply(value: unknown, headers: Record<string, string>): LinkReply {
  const body = Buffer.from(JSON.stringify(value));
  return {
    status: 200,
    headers: { ...headers, 'content-type': 'application/json', 'content-length': String(body.length) },
    body,
  };
}
