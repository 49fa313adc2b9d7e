import type {
  Message,
  MessageTokensCount,
  ModelInfo,
  RawMessageStreamEvent,
} from '@anthropic-ai/sdk/resources';
import type {
  ContentEmbedding,
  CountTokensResponse,
  EmbedContentResponse,
  GenerateContentResponse,
  Model,
} from '@google/genai';
import type OpenAI from 'openai';

/** OpenAI's stream has nulls until the end, which its document and client do not know. */
interface CompletionChunk extends Omit<OpenAI.Completion, 'choices' | 'usage'> {
  choices: (Omit<OpenAI.CompletionChoice, 'finish_reason'> & {
    finish_reason: OpenAI.CompletionChoice['finish_reason'] | null;
  })[];
  usage?: OpenAI.CompletionUsage | null;
}

/** The client omits this event. */
interface Ping {
  type: 'ping';
}

/** What OpenAI's API answers, by the types of its client. */
export interface OpenAiTypes {
  completion: OpenAI.ChatCompletion;
  'completion chunk': OpenAI.ChatCompletionChunk;
  'text completion': OpenAI.Completion;
  'text completion chunk': CompletionChunk;
  response: OpenAI.Responses.Response;
  'stored response': OpenAI.Responses.Response;
  'response event': OpenAI.Responses.ResponseStreamEvent;
  'input items': OpenAI.Responses.ResponseItemList;
  embeddings: OpenAI.CreateEmbeddingResponse;
  moderations: OpenAI.ModerationCreateResponse;
  images: OpenAI.ImagesResponse;
  'image event': OpenAI.ImageGenStreamEvent | OpenAI.ImageEditStreamEvent;
  transcription: OpenAI.Audio.Transcription;
  'verbose transcription': OpenAI.Audio.TranscriptionVerbose;
  'transcription event': OpenAI.Audio.TranscriptionStreamEvent;
  translation: OpenAI.Audio.Translation;
  models: { object: 'list'; data: OpenAI.Model[] };
  model: OpenAI.Model;
}

/** What Anthropic's API answers, by the types of its client. */
export interface AnthropicTypes {
  message: Message;
  'message event': RawMessageStreamEvent | Ping;
  'message tokens': MessageTokensCount;
  'message models': { data: ModelInfo[]; has_more: boolean; first_id: string | null; last_id: string | null };
}

/** Its client renames this member. */
interface ListedModel extends Omit<Model, 'supportedActions'> {
  supportedGenerationMethods?: string[];
}

type Usage = Pick<EmbedContentResponse, 'usageMetadata'>;

/** What Google's API answers, by the types of its client. */
export interface GoogleTypes {
  content: Omit<GenerateContentResponse, 'sdkHttpResponse'>;
  'content tokens': Omit<CountTokensResponse, 'sdkHttpResponse'>;
  'content embedding': { embedding: ContentEmbedding } & Usage;
  'content embeddings': { embeddings: ContentEmbedding[] } & Usage;
  'google models': { models: ListedModel[]; nextPageToken?: string };
  'google model': ListedModel;
}
