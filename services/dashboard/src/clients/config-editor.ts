import type { ApplyConfigResponse__Output } from '@gateway/proto/generated/gateway/catalog/v1/ApplyConfigResponse';
import type { CatalogServiceClient } from '@gateway/proto/generated/gateway/catalog/v1/CatalogService';
import { callUnary } from '@gateway/rpc';
import type { Caller } from './billing';

const TIMEOUT_MS = 20_000;

/** Makes providers and models as a configuration describes them; catalog validates it as a whole. */
export class ConfigEditor {
  readonly #client: CatalogServiceClient;

  constructor(client: CatalogServiceClient) {
    this.#client = client;
  }

  /** Problems of the configuration are a result, and then nothing is changed. @param dryRun only compares and validates */
  apply(
    { requestId, signal }: Caller,
    config: unknown,
    dryRun: boolean,
  ): Promise<ApplyConfigResponse__Output> {
    const request = { configJson: JSON.stringify(config), dryRun };
    const settings = { timeoutMs: TIMEOUT_MS, requestId, signal };
    return callUnary(this.#client, this.#client.ApplyConfig, request, settings);
  }
}
