import { arrivedAccount } from '@gateway/catalog-client';
import type { HttpClient } from '@gateway/http-client';
import type { ProbeProviderRequest__Output } from '@gateway/proto/generated/gateway/chat/v1/ProbeProviderRequest';
import type { ProbeProviderResponse } from '@gateway/proto/generated/gateway/chat/v1/ProbeProviderResponse';
import type { Quota } from '@gateway/quota';
import type { RequestContext } from '@gateway/rpc';
import {
  type Account,
  membersOf,
  PROBE_TIMEOUTS,
  probeFailureOf,
  textOf,
  withoutSecrets,
} from '@gateway/upstream';
import { embeddingCall } from '../app/embedding-call';
import { moderationCall } from '../app/moderation-call';
import { rerankCall } from '../app/rerank-call';
import type { ChatProvider, EndpointModel, UpstreamAddress, WholeReply } from '../domain/chat-provider';
import type { Conversation } from '../domain/conversation';
import type { Model } from '../domain/model';
import { ReplyMemory } from '../domain/reply-memory';
import type { WholeReplyCall } from '../domain/whole-reply-call';
import { readRefusalBody, readReply } from '../providers/read-reply';

export interface ProbeProviderDeps {
  readonly providers: { accountsOf(provider: string): readonly Account<ChatProvider>[] };
  readonly upstream: Pick<HttpClient, 'send'>;
  /** The catalog: it tells what the model of a probe outputs. */
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
    const model = wholeReplyModel(deps.models.all(), id, upstreamModel);
    const outcome = await tryCall(deps, context, provider, () =>
      model ? wholeReplyProbe(provider, upstreamModel, model) : chatProbe(provider, upstreamModel),
    );
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
    return { models: [...(await read(await readReply(response.body, memory)))] };
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
  read(reply: WholeReply): readonly EndpointModel[] | Promise<readonly EndpointModel[]>;
}

async function chatProbe(provider: ChatProvider, upstreamModel: string): Promise<Probe> {
  if (upstreamModel === '') {
    const { modelListing } = provider;
    if (!modelListing)
      throw new Error('models of this kind of provider cannot be listed: name a model to call');
    return { address: await modelListing.address(), read: ({ value }) => modelListing.read(value) };
  }
  const body = provider.writeRequest(GREETING, upstreamModel, MAX_OUTPUT_TOKENS, new Set());
  const address = await provider.address({ upstreamModel, stream: false, callerHeaders: {}, body });
  return {
    address,
    body,
    read({ value }) {
      if (!provider.isReply(value))
        throw new Error('the reply does not match the API of this kind of provider');
      provider.readReply(value);
      return [];
    },
  };
}

const SAMPLES: readonly WholeReplyCall[] = [
  embeddingCall({ model: 'probe', inputs: { kind: 'texts', list: ['ok'] }, encoding: 'float' }),
  moderationCall({ model: 'probe', input: 'ok', texts: ['ok'], images: 0, results: 1 }),
  rerankCall({ model: 'probe', query: 'ok', documents: ['ok'], returnsDocuments: false }),
];

/** Returns a model of the catalog with that target that outputs vectors, moderations or rankings. */
const wholeReplyModel = (
  models: readonly Model[],
  provider: string,
  upstreamModel: string,
): Model | undefined =>
  models.find(
    ({ outputModalities, targets }) =>
      SAMPLES.some(({ output }) => outputModalities.includes(output)) &&
      targets.some((target) => target.provider === provider && target.upstreamModel === upstreamModel),
  );

async function wholeReplyProbe(provider: ChatProvider, upstreamModel: string, model: Model): Promise<Probe> {
  const sample = SAMPLES.find(({ output }) => model.outputModalities.includes(output))!;
  const protocol = sample.protocolOf(provider);
  if (!protocol) throw new Error(`this kind of provider has no ${sample.output} models`);
  return {
    address: await protocol.address(upstreamModel),
    body: protocol.writeRequest(upstreamModel),
    async read({ bytes }) {
      await protocol.readReply(bytes, model);
      return [];
    },
  };
}

function messageOf(refusal: unknown): string {
  const { error, message } = membersOf(Array.isArray(refusal) ? refusal[0] : refusal);
  return textOf(membersOf(error).message) || textOf(error) || textOf(message) || 'no message';
}
