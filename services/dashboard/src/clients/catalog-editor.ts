import type { ModelStatus } from '@gateway/models';
import type { CatalogServiceClient } from '@gateway/proto/generated/gateway/catalog/v1/CatalogService';
import type { Model__Output } from '@gateway/proto/generated/gateway/catalog/v1/Model';
import { callUnary, type UnaryMethod } from '@gateway/rpc';
import type { CatalogModel } from '../domain/listed-model';
import type { ModelFields, PricesDraft } from '../domain/model-draft';
import type { Caller } from './billing';
import { fromProtoModel } from './from-proto-model';
import type { ModelDirectory } from './model-directory';
import { toProtoFields, toProtoPricing } from './to-proto-model';

const TIMEOUT_MS = 5_000;

const STATUS = {
  active: 'MODEL_STATUS_ACTIVE',
  disabled: 'MODEL_STATUS_DISABLED',
  delisted: 'MODEL_STATUS_DELISTED',
} as const satisfies Record<ModelStatus, string>;

/** What an update changes in addition to the fields that it always replaces. */
export interface UpdateOptions {
  /** Removes the model's image features. */
  readonly clearImage?: boolean;
  readonly clearVideo?: boolean;
  /** Replaces the aliases. */
  readonly setAliases?: boolean;
  /** Replaces the fallback models. */
  readonly setFallbackModels?: boolean;
}

/**
 * Changes the catalog, which validates each change and throws typed errors. When a call returns, its change is in the
 * directory.
 */
export class CatalogEditor {
  readonly #client: CatalogServiceClient;
  readonly #directory: ModelDirectory;

  constructor(client: CatalogServiceClient, directory: ModelDirectory) {
    this.#client = client;
    this.#directory = directory;
  }

  create(
    caller: Caller,
    fields: ModelFields,
    status: ModelStatus,
    prices: PricesDraft,
  ): Promise<CatalogModel> {
    const model = { ...toProtoFields(fields), status: STATUS[status], pricing: toProtoPricing(prices) };
    return this.#change(caller, this.#client.CreateModel, { model });
  }

  /** Keeps status and prices; image and video features, aliases and fallback models change only as `options` say. */
  update(caller: Caller, fields: ModelFields, options: UpdateOptions = {}): Promise<CatalogModel> {
    const request = { model: toProtoFields(fields), ...options };
    return this.#change(caller, this.#client.UpdateModel, request);
  }

  /** Keeps the successor if none is given. */
  setStatus(caller: Caller, slug: string, status: ModelStatus, successor?: string): Promise<CatalogModel> {
    const request = { slug, status: STATUS[status], successor: successor ?? '' };
    return this.#change(caller, this.#client.SetModelStatus, request);
  }

  /** Refused if the current version is not `ifVersion`. */
  setPrices(caller: Caller, slug: string, prices: PricesDraft, ifVersion = 0): Promise<CatalogModel> {
    const request = { slug, pricing: toProtoPricing(prices), ifVersion };
    return this.#change(caller, this.#client.SetPricing, request);
  }

  async #change<Request>(
    { requestId, signal }: Caller,
    method: UnaryMethod<Request, Model__Output | undefined>,
    request: Request,
  ): Promise<CatalogModel> {
    const settings = { timeoutMs: TIMEOUT_MS, requestId, signal };
    const model = await callUnary(this.#client, method, request, settings);
    this.#directory.record(model);
    return fromProtoModel(model);
  }
}
