import { GatewayError } from '@gateway/errors';
import type { ChatServiceClient } from '@gateway/proto/generated/gateway/chat/v1/ChatService';
import type { EndpointModel__Output } from '@gateway/proto/generated/gateway/chat/v1/EndpointModel';
import type { ProbeProviderRequest } from '@gateway/proto/generated/gateway/chat/v1/ProbeProviderRequest';
import type { ProbeProviderResponse__Output } from '@gateway/proto/generated/gateway/chat/v1/ProbeProviderResponse';
import { callUnary } from '@gateway/rpc';
import type { Caller } from './billing';

/** Longer than chat waits for the endpoint. */
const TIMEOUT_MS = 30_000;

/** Makes real calls to the endpoints of providers, through chat, which alone has their secrets. */
export class ProviderProbe {
  readonly #client: ChatServiceClient;

  constructor(client: ChatServiceClient) {
    this.#client = client;
  }

  /**
   * Lists the models of the endpoint, or calls `upstreamModel`. A failure of the endpoint is a result.
   * @throws GatewayError `not_found` if no credential of the provider can be used
   */
  call({ requestId, signal }: Caller, request: ProbeProviderRequest): Promise<ProbeProviderResponse__Output> {
    const settings = { timeoutMs: TIMEOUT_MS, requestId, signal };
    return callUnary(this.#client, this.#client.ProbeProvider, request, settings);
  }

  /** @throws GatewayError `upstream_failed` or `upstream_unavailable` with the failure of the endpoint */
  async models(caller: Caller, provider: string): Promise<readonly EndpointModel__Output[]> {
    const { failure, models } = await this.call(caller, { provider });
    if (!failure) return models;
    const { status, message } = failure;
    if (status === 0) throw new GatewayError('upstream_unavailable', { detail: message });
    throw new GatewayError('upstream_failed', { detail: `status ${status}: ${message}` });
  }
}
