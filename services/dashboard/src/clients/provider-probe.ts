import { GatewayError } from '@gateway/errors';
import type { ChatServiceClient } from '@gateway/proto/generated/gateway/chat/v1/ChatService';
import type { EndpointModel__Output } from '@gateway/proto/generated/gateway/chat/v1/EndpointModel';
import type { ProbeFailure__Output } from '@gateway/proto/generated/gateway/chat/v1/ProbeFailure';
import type { MediaServiceClient } from '@gateway/proto/generated/gateway/media/v1/MediaService';
import { callUnary } from '@gateway/rpc';
import type { ProviderService } from '../domain/provider-health';
import type { Caller } from './billing';

/** Longer than the services wait for the endpoint. */
const TIMEOUT_MS = 30_000;

export interface ProbeRequest {
  readonly provider: string;
  /** Empty: the first usable credential. */
  readonly credentialId: string;
  /** The model to call. Empty: the models are listed, or the credential is checked. */
  readonly upstreamModel: string;
}

export interface ProbeResult {
  readonly credentialId: string;
  readonly credentialName: string;
  readonly latencyMs: number;
  readonly failure: ProbeFailure__Output | null;
  /** Absent: they were not listed. */
  readonly models?: readonly EndpointModel__Output[];
}

/** Makes real calls to the endpoints of providers, through the services that have their secrets. */
export class ProviderProbe {
  readonly #chat: ChatServiceClient | undefined;
  readonly #media: MediaServiceClient | undefined;

  /** @param clients absent: the dashboard does not know the address of the service */
  constructor(clients: { readonly chat?: ChatServiceClient; readonly media?: MediaServiceClient }) {
    this.#chat = clients.chat;
    this.#media = clients.media;
  }

  /**
   * Lists the models of the endpoint, or calls one. A failure of the endpoint is a result. Of a provider that only media calls, the
   * credential is checked.
   * @throws GatewayError `not_found` if no credential of the provider can be used; `invalid_request` for a model that only media calls
   */
  async call(caller: Caller, service: ProviderService, request: ProbeRequest): Promise<ProbeResult> {
    const settings = { timeoutMs: TIMEOUT_MS, requestId: caller.requestId, signal: caller.signal };
    if (service === 'chat') {
      const chat = known(this.#chat, 'CHAT_ADDR');
      const { models, ...probed } = await callUnary(chat, chat.ProbeProvider, request, settings);
      return request.upstreamModel === '' ? { ...probed, models } : probed;
    }
    if (request.upstreamModel !== '') throw new GatewayError('invalid_request', { detail: NOT_CALLED });
    const media = known(this.#media, 'MEDIA_ADDR');
    return callUnary(media, media.ProbeProvider, request, settings);
  }

  /** @throws GatewayError `upstream_failed` or `upstream_unavailable` with the failure of the endpoint */
  async models(
    caller: Caller,
    service: ProviderService,
    provider: string,
  ): Promise<readonly EndpointModel__Output[]> {
    if (service === 'media') throw new GatewayError('upstream_unavailable', { detail: NOT_LISTED });
    const request = { provider, credentialId: '', upstreamModel: '' };
    const { failure, models = [] } = await this.call(caller, service, request);
    if (!failure) return models;
    const { status, message } = failure;
    if (status === 0) throw new GatewayError('upstream_unavailable', { detail: message });
    throw new GatewayError('upstream_failed', { detail: `status ${status}: ${message}` });
  }
}

const NOT_CALLED =
  'model: the provider would charge an image or a video; without a model, the credential is tested';
const NOT_LISTED = 'models of this kind of provider cannot be listed';

function known<Client>(client: Client | undefined, setting: string): Client {
  if (client) return client;
  throw new GatewayError('invalid_request', { detail: `the dashboard has no ${setting}` });
}
