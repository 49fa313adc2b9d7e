import { EMBEDDING_INPUTS } from '../prompts';

/** Format of the client's requests and of the replies. */
export type CallerFormat = 'openai' | 'responses' | 'anthropic' | 'embeddings';

interface ReplyRules {
  /** Extracts the text, or the last vector, and the tokens that are charged; undefined if the reply lacks them. */
  read(reply: Record<string, unknown>): { readonly text: unknown; readonly tokens: unknown };
  /** The last frame of a complete stream. */
  readonly streamEnd: string;
}

/** Rules by which the generator checks replies. */
export const REPLY_RULES: Readonly<Record<CallerFormat, ReplyRules>> = {
  openai: {
    read: ({ choices, usage }) => ({
      text: (choices as OpenAiChoice[] | undefined)?.[0]?.message?.content,
      tokens: (usage as Record<string, unknown> | undefined)?.completion_tokens,
    }),
    streamEnd: 'data: [DONE]\n\n',
  },
  responses: {
    read: ({ output, usage }) => ({
      text: (output as ResponseItem[] | undefined)?.[0]?.content?.[0]?.text,
      tokens: (usage as Record<string, unknown> | undefined)?.output_tokens,
    }),
    streamEnd: '\n\n',
  },
  anthropic: {
    read: ({ content, usage }) => ({
      text: (content as { text?: unknown }[] | undefined)?.[0]?.text,
      tokens: (usage as Record<string, unknown> | undefined)?.output_tokens,
    }),
    streamEnd: 'event: message_stop\ndata: {"type":"message_stop"}\n\n',
  },
  embeddings: {
    read: ({ data, usage }) => ({
      text: (data as { embedding?: unknown }[] | undefined)?.[EMBEDDING_INPUTS.length - 1]?.embedding,
      tokens: (usage as Record<string, unknown> | undefined)?.prompt_tokens,
    }),
    streamEnd: '',
  },
};

interface ResponseItem {
  readonly content?: { readonly text?: unknown }[];
}

interface OpenAiChoice {
  readonly message?: { readonly content?: unknown };
}
