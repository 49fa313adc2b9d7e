import { arrivedAccount } from '@gateway/catalog-client';
import type { HttpClient } from '@gateway/http-client';
import type { ProbeProviderRequest__Output } from '@gateway/proto/generated/gateway/chat/v1/ProbeProviderRequest';
import type { ProbeProviderResponse } from '@gateway/proto/generated/gateway/chat/v1/ProbeProviderResponse';
import type { Quota } from '@gateway/quota';
import type { RequestContext } from '@gateway/rpc';
import {
  type Account,
  type JsonObject,
  membersOf,
  PROBE_TIMEOUTS,
  probeFailureOf,
  textOf,
  withoutSecrets,
} from '@gateway/upstream';
import type { ChatProvider, EndpointModel, UpstreamAddress } from '../domain/chat-provider';
import type { Conversation } from '../domain/conversation';
import type { EmbeddingRequest } from '../domain/embedding';
import type { Model } from '../domain/model';
import { ReplyMemory } from '../domain/reply-memory';
import { toFloats } from '../domain/vector';
import { readRefusalBody, readReply } from '../providers/read-reply';

export interface ProbeProviderDeps {
  readonly providers: { accountsOf(provider: string): readonly Account<ChatProvider>[] };
  readonly upstream: Pick<HttpClient, 'send'>;
  /** The catalog: it tells whether the model of a probe creates embeddings. */
  readonly models: { all(): readonly Model[] };
  /** Memory for the replies. */
  readonly replyMemory: Quota;
}

/** Holder of the memory for replies to probes. */
const OPERATOR = 'operator';
const NO_CREDENTIAL = 'the provider has no usable credential for chat';
/** Enough for a word, and for the shortest answer that OpenAI accepts. */
const MAX_OUTPUT_TOKENS = 16;

const GREETING: Conversation = {
  system: [],
  turns: [{ role: 'user', parts: [{ kind: 'text', text: 'Say "ok".', cache: undefined }] }],
  tools: [],
  toolChoice: { kind: 'auto' },
  parallelToolCalls: undefined,
  output: { kind: 'text' },
  reasoning: undefined,
  sampling: { stop: [] },
  maxOutputTokens: MAX_OUTPUT_TOKENS,
  endUser: undefined,
  stream: false,
};

/** Handles `ProbeProvider`. A failure of the endpoint is a result, not an error. */
export function probeProvider(deps: ProbeProviderDeps) {
  return async (
    context: RequestContext,
    { provider: id, credentialId, upstreamModel }: ProbeProviderRequest__Output,
  ): Promise<ProbeProviderResponse> => {
    const { provider, credential } = await arrivedAccount(
      deps.providers.accountsOf,
      id,
      credentialId,
      NO_CREDENTIAL,
    );
    const startMs = performance.now();
    const probeOf = embeds(deps.models.all(), id, upstreamModel) ? embeddingProbe : chatProbe;
    const outcome = await tryCall(deps, context, provider, () => probeOf(provider, upstreamModel));
    const latencyMs = Math.round(performance.now() - startMs);
    return { credentialId: credential.id, credentialName: credential.name, latencyMs, ...outcome };
  };
}

type Outcome = Pick<ProbeProviderResponse, 'failure' | 'models'>;

async function tryCall(
  { upstream, replyMemory }: Pick<ProbeProviderDeps, 'upstream' | 'replyMemory'>,
  { requestId, signal }: RequestContext,
  { connection }: ChatProvider,
  probe: () => Promise<Probe>,
): Promise<Outcome> {
  let secrets: readonly string[] = [];
  const memory = new ReplyMemory(replyMemory, OPERATOR);
  try {
    const { address, body, read } = await probe();
    secrets = Object.values(address.headers).flatMap((value) => [value, value.replace(/^Bearer /, '')]);
    const response = await upstream.send({
      method: body ? 'POST' : 'GET',
      url: address.url,
      proxy: connection?.proxy,
      headers: { ...address.headers, accept: 'application/json', 'x-request-id': requestId },
      ...(body && { body }),
      connection: 'persistent',
      onAbort: 'close',
      signal,
      timeouts: PROBE_TIMEOUTS,
    });
    const { status } = response;
    if (status < 200 || status > 299) {
      const refusal = await readRefusalBody(response.body);
      return { failure: { status, message: withoutSecrets(messageOf(refusal), secrets) } };
    }
    return { models: [...read((await readReply(response.body, memory)).value)] };
  } catch (error) {
    const { status, message } = probeFailureOf(error);
    return { failure: { status, message: withoutSecrets(message, secrets) } };
  } finally {
    memory.release();
  }
}

interface Probe {
  readonly address: UpstreamAddress;
  readonly body?: Buffer;
  read(reply: JsonObject): readonly EndpointModel[];
}

async function chatProbe(provider: ChatProvider, upstreamModel: string): Promise<Probe> {
  if (upstreamModel === '') {
    const { modelListing } = provider;
    if (!modelListing)
      throw new Error('models of this kind of provider cannot be listed: name a model to call');
    return { address: await modelListing.address(), read: modelListing.read };
  }
  const body = provider.writeRequest(GREETING, upstreamModel, MAX_OUTPUT_TOKENS, new Set());
  const address = await provider.address({ upstreamModel, stream: false, callerHeaders: {}, body });
  return {
    address,
    body,
    read(reply) {
      if (!provider.isReply(reply))
        throw new Error('the reply does not match the API of this kind of provider');
      provider.readReply(reply);
      return [];
    },
  };
}

const SAMPLE: EmbeddingRequest = {
  model: 'probe',
  inputs: { kind: 'texts', list: ['ok'] },
  encoding: 'float',
};

/** Whether the catalog has an embedding model with that target. */
const embeds = (models: readonly Model[], provider: string, upstreamModel: string): boolean =>
  models.some(
    ({ outputModalities, targets }) =>
      outputModalities.includes('embedding') &&
      targets.some((target) => target.provider === provider && target.upstreamModel === upstreamModel),
  );

async function embeddingProbe({ embeddings }: ChatProvider, upstreamModel: string): Promise<Probe> {
  if (!embeddings) throw new Error('this kind of provider has no embeddings');
  return {
    address: await embeddings.address(upstreamModel),
    body: embeddings.writeRequest(SAMPLE, upstreamModel),
    read(reply) {
      const { vectors } = embeddings.readReply(reply, (value) =>
        typeof value === 'string' ? { base64: value } : { json: Buffer.from(JSON.stringify(value ?? null)) },
      );
      const [vector] = vectors;
      if (!vector || vectors.length > 1)
        throw new Error('the reply does not match the embeddings API of this kind of provider');
      toFloats(vector);
      return [];
    },
  };
}

function messageOf(refusal: unknown): string {
  const { error, message } = membersOf(Array.isArray(refusal) ? refusal[0] : refusal);
  return textOf(membersOf(error).message) || textOf(error) || textOf(message) || 'no message';
}
