import type { Connect } from '@gateway/catalog-client';
import { type ChatKind, isChatKind, type ProviderKind, quirksOf } from '@gateway/providers';
import type { Quota } from '@gateway/quota';
import type { ChatProvider } from '../domain/chat-provider';
import { anthropicProvider } from './anthropic/anthropic-provider';
import { azureOpenAiProvider } from './azure/azure-openai-provider';
import { bedrockProvider } from './bedrock/bedrock-provider';
import { cohereProvider } from './cohere/cohere-provider';
import { geminiProvider } from './gemini/gemini-provider';
import { type OpenAiAccount, openAiProvider } from './openai/openai-provider';
import { withOperatorQuirks } from './openai/operator-quirks';
import { type OpenAiQuirks, QUIRKS } from './openai/quirks';
import { vertexAnthropicProvider } from './vertex/vertex-anthropic-provider';
import { vertexProvider } from './vertex/vertex-provider';

/** A provider's endpoint and one of its credentials in clear. */
export interface ProviderAccess {
  readonly id: string;
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Of its kind, as the catalog has checked them. */
  readonly options?: Readonly<Record<string, unknown>>;
  /** Sent with every request, in addition to those of the protocol. */
  readonly headers?: Readonly<Record<string, string>>;
}

export type ConnectProvider = (access: ProviderAccess, bufferQuota: Quota) => ChatProvider;

type OpenAiCounting = Partial<Pick<OpenAiAccount, 'encoding' | 'countsByO200k'>>;

const openAiLike =
  (quirks: OpenAiQuirks, counting: OpenAiCounting = {}): ConnectProvider =>
  (access, bufferQuota) =>
    openAiProvider(
      {
        encoding: 'o200k',
        countsByO200k: false,
        ...counting,
        ...access,
        quirks,
      },
      bufferQuota,
    );

const connectOpenAi = openAiLike(QUIRKS.openai, { countsByO200k: true });

/** OpenAI itself has other rules than the servers that are compatible with it. */
const OPENAI_HOST = 'api.openai.com';

/** @throws Error for options that this version does not know */
function connectWithQuirks(access: ProviderAccess, bufferQuota: Quota): ChatProvider {
  const { options = {} } = access;
  const quirks = quirksOf(options);
  const isOpenAi = options.preset === undefined && URL.parse(access.baseUrl)?.hostname === OPENAI_HOST;
  const base = isOpenAi ? QUIRKS.openai : QUIRKS.compatible;
  const connect = openAiLike(withOperatorQuirks(base, quirks), { countsByO200k: isOpenAi });
  return connect(access, bufferQuota);
}

/** The API formats of chat providers, by the kind that operators choose. */
export const KINDS = {
  openai: connectWithQuirks,
  anthropic: anthropicProvider,
  gemini: geminiProvider,
  cohere: cohereProvider,
  deepseek: openAiLike(QUIRKS.deepseek, { encoding: 'deepseek' }),
  mistral: openAiLike(QUIRKS.mistral, { encoding: 'tekken' }),
  xai: openAiLike(QUIRKS.xai),
  bedrock: bedrockProvider,
  'azure-openai': azureOpenAiProvider,
  vertex: vertexProvider,
  'vertex-anthropic': vertexAnthropicProvider,
} as const satisfies Record<ChatKind, ConnectProvider>;

/** Returns how the providers of a kind are connected; undefined for a kind that generates no text. */
export const connectorsOf =
  (bufferQuota: Quota) =>
  (kind: ProviderKind): Connect<ChatProvider> | undefined => {
    if (!isChatKind(kind)) return undefined;
    const connect: ConnectProvider = KINDS[kind];
    return ({ connection, ...access }) => {
      const provider = connect(access, bufferQuota);
      return connection ? { ...provider, connection } : provider;
    };
  };

/** The provider that the environment configures as OpenAI, wherever its base URL leads, such as to the simulator. */
export const connectAsOpenAi = connectOpenAi;

export const connectSimulator = openAiLike(QUIRKS.common, { countsByO200k: true });
