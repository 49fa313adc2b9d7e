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
import { parseGeminiPage, toGeminiModel, toGeminiModelList } from '../formats/gemini/model-list';
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

/** `GET /v1/models` and `/v1beta/models`: every model that the key may call, in the shape of the client's format. */
export function listModels(deps: ModelListDeps) {
  return async (context: RequestContext, call: LinkCall): Promise<LinkReply> => {
    const { models, admission } = deps;
    if (!models.loaded) throw catalogNotReceived();
    const query = call.query ?? '';
    const type = parseModelType(query);
    const listOf = listWriter(call, query);
    const headers = await admission.admitFree(context, call);
    const callable = models
      .all()
      .filter((model) => isListed(deps, model, call) && (!type || isOfType(model.listed, type)));
    return jsonReply(listOf(callable), headers);
  };
}

/** @throws GatewayError `invalid_request` for a malformed query */
function listWriter(call: LinkCall, query: string): (models: readonly CatalogModel[]) => object {
  if (asksGoogle(call)) {
    const page = parseGeminiPage(query);
    return (models) => toGeminiModelList(models, page);
  }
  if (asksAnthropic(call)) {
    const page = parseModelPage(query);
    return (models) => toAnthropicModelList(models, page);
  }
  return (models) => ({ object: 'list', data: models.map(toOpenAiModel) });
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
    return jsonReply(shapeOf(call, model), await admission.admitFree(context, call));
  };
}

function shapeOf(call: LinkCall, model: CatalogModel): object {
  if (asksGoogle(call)) return toGeminiModel(model);
  return asksAnthropic(call) ? toAnthropicModel(model) : toOpenAiModel(model);
}

/** Anthropic's shape describes only chat models, and Google's also those that create embeddings. */
function isListed({ providers, isMediaProvider }: ModelListDeps, model: CatalogModel, call: LinkCall) {
  if (!canCall(model, call.key)) return false;
  if (isServed(model, 'text', providers)) return true;
  if (asksGoogle(call)) return isServed(model, 'embedding', providers);
  if (asksAnthropic(call)) return false;
  return (
    CHAT_OUTPUTS.some((output) => isServed(model, output, providers)) ||
    isServedByMedia(model, isMediaProvider)
  );
}

/** Google's clients call another version, or send the key in their own way, which edge reports. */
const asksGoogle = ({ path, headers }: LinkCall): boolean =>
  path.startsWith('/v1beta/') || headers['x-edge-format'] === 'google';

/** Anthropic's clients send this header with every call, others never do. */
function asksAnthropic({ headers }: LinkCall): boolean {
  return headers['anthropic-version'] !== undefined;
}

function nameOf(path: string): string | undefined {
  try {
    return decodeURIComponent(path.replace(/^\/v1(?:beta)?\/models\/(?:models\/)?/, ''));
  } catch {
    return undefined;
  }
}
