import { azureOptions } from '@gateway/providers';
import type { Quota } from '@gateway/quota';
import type { ChatProvider } from '../../domain/chat-provider';
import type { Conversation } from '../../domain/conversation';
import { withBearer } from '../cloud-auth/with-bearer';
import { readModels } from '../endpoint-models';
import { readEmbeddingReply, writeEmbeddingRequest } from '../openai/embeddings';
import { openAiProvider } from '../openai/openai-provider';
import { QUIRKS } from '../openai/quirks';
import { refusedCompletion } from '../openai/refused-completion';
import { azureCredential } from './azure-credential';

export interface AzureAccount {
  readonly id: string;
  /** Of the resource; `/openai` and `/openai/v1` at its end are accepted. */
  readonly baseUrl: string;
  /** An API key, or a service principal as JSON. */
  readonly apiKey: string;
  /** `azureOptions`. */
  readonly options?: Readonly<Record<string, unknown>>;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * A resource of Azure OpenAI. Its v1 API has the deployment in the body's `model`; dated versions have it in the URL and ignore
 * the body's.
 * @throws Error for options or a secret of another form; does not contain the secret
 */
export function azureOpenAiProvider(
  { id, baseUrl, apiKey: secret, options = {}, headers: ownHeaders }: AzureAccount,
  bufferQuota: Quota,
): ChatProvider {
  const {
    api_version: version,
    deployments,
    max_tokens_field: maxTokensField,
    ...auth
  } = azureOptions.parse(options);
  const credential = azureCredential(secret, auth);
  const api = `${baseUrl.replace(/\/+$/, '').replace(/\/openai(\/v1)?$/, '')}/openai`;
  const models = new URL(`${api}/v1/models`);
  const deploymentOf = (model: string): string =>
    Object.hasOwn(deployments, model) ? (deployments[model] ?? model) : model;
  const v1 = {
    'chat/completions': new URL(`${api}/v1/chat/completions`),
    embeddings: new URL(`${api}/v1/embeddings`),
    responses: new URL(`${api}/v1/responses`),
    'responses/compact': new URL(`${api}/v1/responses/compact`),
  };
  const urlOf = (model: string, endpoint: keyof typeof v1): URL => {
    const deployment = encodeURIComponent(deploymentOf(model));
    return version === 'v1'
      ? v1[endpoint]
      : new URL(`${api}/deployments/${deployment}/${endpoint}?api-version=${version}`);
  };
  const headers = { ...ownHeaders, 'content-type': 'application/json' };
  const authenticated = (url: URL) =>
    'apiKey' in credential
      ? { url, headers: { ...headers, 'api-key': credential.apiKey } }
      : withBearer(credential.tokens, { url, headers });
  const {
    completions: _,
    responses,
    ...openAi
  } = openAiProvider(
    {
      id,
      baseUrl: `${api}/v1`,
      apiKey: '',
      quirks: { ...QUIRKS.azure, maxTokensField },
      encoding: 'o200k',
      // A deployment may be of any model, such as DeepSeek's.
      countsByO200k: false,
    },
    bufferQuota,
  );
  return {
    ...openAi,
    address: ({ upstreamModel }) => authenticated(urlOf(upstreamModel, 'chat/completions')),
    writeRequest: (conversation, upstreamModel, maxOutputTokens, capabilities) =>
      openAi.writeRequest(conversation, deploymentOf(upstreamModel), maxOutputTokens, capabilities),
    passThroughMembers: (body, capabilities, upstreamModel) =>
      new Map([
        ...(openAi.passThroughMembers?.(body, capabilities, upstreamModel) ?? []),
        ['model', JSON.stringify(deploymentOf(upstreamModel))],
      ]),
    // Dated versions have another API of the same name.
    ...(version === 'v1' && {
      responses: (owner: string) => {
        const passed = responses!(owner);
        return {
          ...passed,
          address: () => authenticated(v1.responses),
          compaction: passed.compaction && {
            ...passed.compaction,
            address: () => authenticated(v1['responses/compact']),
          },
          writeRequest: (
            conversation: Conversation,
            model: string,
            most: number,
            capabilities: ReadonlySet<string>,
          ) => passed.writeRequest(conversation, deploymentOf(model), most, capabilities),
          passThroughMembers: (
            body: Readonly<Record<string, unknown>>,
            capabilities: ReadonlySet<string>,
            upstreamModel: string,
          ) =>
            new Map([
              ...passed.passThroughMembers!(body, capabilities, upstreamModel),
              ['model', JSON.stringify(deploymentOf(upstreamModel))],
            ]),
        };
      },
    }),
    embeddings: {
      returnsBase64: true,
      address: (upstreamModel) => authenticated(urlOf(upstreamModel, 'embeddings')),
      writeRequest: (request, upstreamModel) =>
        writeEmbeddingRequest(request, deploymentOf(upstreamModel), QUIRKS.azure),
      readReply: readEmbeddingReply,
    },
    refusalOf(refused) {
      if (refused.status === 401 && 'tokens' in credential) credential.tokens.forget();
      return refusedCompletion(refused);
    },
    modelListing: {
      address: () => authenticated(models),
      // The base models that the resource can deploy: Azure has no data-plane list of deployments.
      read: ({ data }) => readModels(data, ({ id: modelId }) => ({ id: modelId })),
    },
  };
}
