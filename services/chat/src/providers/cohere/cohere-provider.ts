import { isObject, type JsonObject, listOf } from '@gateway/upstream';
import type { ChatProvider } from '../../domain/chat-provider';
import { type ListedEntry, readModels } from '../endpoint-models';
import { refusedCompletion } from '../openai/refused-completion';
import { rerankApi } from '../rerank';
import { ChatEvents } from './chat-events';
import { chatFraming } from './chat-framing';
import { readCohereUsage } from './cohere-usage';
import { readEmbedReply, writeEmbedRequest } from './embeddings';
import { readChat } from './read-chat';
import { writeChatRequest } from './write-request';

export interface CohereAccount {
  readonly id: string;
  /** Without the API version. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** An account at Cohere's API, version 2. No caller uses its format, so every call is translated. */
export function cohereProvider({ id, baseUrl, apiKey, headers: ownHeaders }: CohereAccount): ChatProvider {
  const base = baseUrl.replace(/\/+$/, '');
  const url = new URL(`${base}/v2/chat`);
  const embed = new URL(`${base}/v2/embed`);
  const rerank = new URL(`${base}/v2/rerank`);
  const models = new URL(`${base}/v1/models?endpoint=chat&page_size=1000`);
  const headers = {
    ...ownHeaders,
    authorization: `Bearer ${apiKey}`,
    'content-type': 'application/json',
  };
  return {
    id,
    wire: 'cohere',
    // Its own encoding differs between its models.
    encoding: 'o200k',
    maxTokensField: 'max_tokens',
    // docs.cohere.com, structured outputs.
    objectOutput: 'always',
    address: () => ({ url, headers }),
    writeRequest: writeChatRequest,
    isReply: ({ message }) => isObject(message),
    readUsage: ({ usage }) => readCohereUsage(usage),
    readReply: readChat,
    readStream: () => new ChatEvents(),
    framing: chatFraming,
    readOpening: (event) => {
      const reader = new ChatEvents();
      const events = reader.readEvent(event);
      if (events.some(({ kind }) => kind !== 'stop')) return 'content';
      return reader.ended ? 'ended' : 'waiting';
    },
    // Its errors have their message where Mistral's have it.
    refusalOf: refusedCompletion,
    embeddings: {
      address: () => ({ url: embed, headers }),
      writeRequest: writeEmbedRequest,
      readReply: readEmbedReply,
    },
    rerank: rerankApi({ url: rerank, headers }, { topField: 'top_n', cutsDocuments: true }),
    modelListing: {
      address: () => ({ url: models, headers }),
      read: ({ models: listed }) => readModels(listed, chatModelOf),
    },
  };
}

const chatModelOf = ({ name, endpoints, context_length }: JsonObject): ListedEntry | undefined =>
  listOf(endpoints).includes('chat') ? { id: name, contextLength: context_length } : undefined;
