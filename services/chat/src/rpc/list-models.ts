import { GatewayError } from '@gateway/errors';
import { jsonReply, type LinkCall, type LinkReply } from '@gateway/link';
import { canCall, isBareName, isOfType } from '@gateway/models';
import type { RequestContext } from '@gateway/rpc';
import type { Admission } from '../app/reserve-call';
import {
  type CatalogModel,
  CHAT_OUTPUTS,
  type ConfiguredProviders,
  catalogNotReceived,
  isServed,
  isServedByMedia,
} from '../domain/model';
import { parseModelPage, toAnthropicModel, toAnthropicModelList } from '../formats/anthropic/model-list';
import { parseModelType } from '../formats/model-type';
import { toOpenAiModel } from '../formats/openai/model-list';

export interface ModelList {
  readonly loaded: boolean;
  /** By slug, alias or bare name. */
  get(name: string): CatalogModel | undefined;
  /** By slug. */
  all(): CatalogModel[];
}

export interface ModelListDeps {
  readonly models: ModelList;
  readonly providers: ConfiguredProviders;
  /** Whether media serves the provider. */
  readonly isMediaProvider: (provider: string) => boolean;
  readonly admission: Pick<Admission, 'admitFree'>;
}

/** `GET /v1/models`: every model that the key may call, in the shape of the client's format. */
export function listModels(deps: ModelListDeps) {
  return async (context: RequestContext, call: LinkCall): Promise<LinkReply> => {
    const { models, admission } = deps;
    if (!models.loaded) throw catalogNotReceived();
    const query = call.query ?? '';
    const type = parseModelType(query);
    const page = asksAnthropic(call) ? parseModelPage(query) : undefined;
    const headers = await admission.admitFree(context, call.key);
    const callable = models
      .all()
      .filter((model) => isListed(deps, model, call) && (!type || isOfType(model.listed, type)));
    const list = page
      ? toAnthropicModelList(callable, page)
      : { object: 'list', data: callable.map(toOpenAiModel) };
    return jsonReply(list, headers);
  };
}

/** `GET /v1/models/{slug}`, also by alias: the `id` of the response is the slug. @throws GatewayError `model_not_found` */
export function getModel(deps: ModelListDeps) {
  return async (context: RequestContext, call: LinkCall): Promise<LinkReply> => {
    const { models, admission } = deps;
    if (!models.loaded) throw catalogNotReceived();
    const name = nameOf(call.path);
    const isAllowed = name !== undefined && (!isBareName(name) || call.key.bareModelNames);
    const model = isAllowed ? models.get(name) : undefined;
    if (!model || !isListed(deps, model, call)) throw new GatewayError('model_not_found');
    const shape = asksAnthropic(call) ? toAnthropicModel(model) : toOpenAiModel(model);
    return jsonReply(shape, await admission.admitFree(context, call.key));
  };
}

/** Anthropic's shape cannot describe models of other types, so its clients see chat models only. */
function isListed({ providers, isMediaProvider }: ModelListDeps, model: CatalogModel, call: LinkCall) {
  if (!canCall(model, call.key)) return false;
  if (isServed(model, 'text', providers)) return true;
  if (asksAnthropic(call)) return false;
  return (
    CHAT_OUTPUTS.some((output) => isServed(model, output, providers)) ||
    isServedByMedia(model, isMediaProvider)
  );
}

/** Anthropic's clients send this header with every call, others never do. */
function asksAnthropic({ headers }: LinkCall): boolean {
  return headers['anthropic-version'] !== undefined;
}

function nameOf(path: string): string | undefined {
  try {
    return decodeURIComponent(path.slice('/v1/models/'.length));
  } catch {
    return undefined;
  }
}
