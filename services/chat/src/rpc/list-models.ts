import { mayCall } from '@gateway/metering';
import { GatewayError } from '@gateway/proto';
import { jsonReply, type LinkCall, type LinkReply, type RequestContext } from '@gateway/runtime';
import { isServed, type Model, type ModelLookup, noCatalog } from '../domain/model';
import { parseModelPage, toAnthropicModel, toAnthropicModelList } from '../formats/anthropic/model-list';
import { toOpenAiModel } from '../formats/openai/model-list';
import type { Admission } from './admission';

export interface ModelList extends ModelLookup {
  all(): Model[];
}

export interface ModelListDeps {
  readonly models: ModelList;
  readonly providers: ReadonlyMap<string, unknown>;
  readonly admission: Pick<Admission, 'admitFree'>;
}

/** `GET /v1/models`: what this key may call here, in the shape that its caller speaks. */
export function listModels({ models, providers, admission }: ModelListDeps) {
  return async (context: RequestContext, call: LinkCall): Promise<LinkReply> => {
    if (!models.loaded) throw noCatalog();
    const page = asksAnthropic(call) ? parseModelPage(call.query ?? '') : undefined;
    const headers = await admission.admitFree(context, call.key);
    const callable = models.all().filter((model) => isServed(model, providers) && mayCall(model, call.key));
    const list = page
      ? toAnthropicModelList(callable, page)
      : { object: 'list', data: callable.map(toOpenAiModel) };
    return jsonReply(list, headers);
  };
}

/** `GET /v1/models/{slug}`. @throws GatewayError `model_not_found` */
export function getModel({ models, providers, admission }: ModelListDeps) {
  return async (context: RequestContext, call: LinkCall): Promise<LinkReply> => {
    if (!models.loaded) throw noCatalog();
    const slug = slugOf(call.path);
    const model = slug === undefined ? undefined : models.get(slug);
    if (!model || !isServed(model, providers) || !mayCall(model, call.key)) {
      throw new GatewayError('model_not_found');
    }
    const shape = asksAnthropic(call) ? toAnthropicModel(model) : toOpenAiModel(model);
    return jsonReply(shape, await admission.admitFree(context, call.key));
  };
}

/** Anthropic's clients name a version with every call, others never do. */
function asksAnthropic({ headers }: LinkCall): boolean {
  return headers['anthropic-version'] !== undefined;
}

function slugOf(path: string): string | undefined {
  try {
    return decodeURIComponent(path.slice('/v1/models/'.length));
  } catch {
    return undefined;
  }
}
