/** Of whoever calls, and so of the reply. */
export type CallerFormat = 'openai' | 'anthropic';

interface ReplyRules {
  /** What the reply says and how many tokens it cost; undefined where it does not tell. */
  read(reply: Record<string, unknown>): { readonly text: unknown; readonly outputTokens: unknown };
  /** The last frame of a whole stream. */
  readonly streamEnd: string;
}

/** How the generator checks what it is answered. */
export const REPLY_RULES: Readonly<Record<CallerFormat, ReplyRules>> = {
  openai: {
    read: ({ choices, usage }) => ({
      text: (choices as OpenAiChoice[] | undefined)?.[0]?.message?.content,
      outputTokens: (usage as Record<string, unknown> | undefined)?.completion_tokens,
    }),
    streamEnd: 'data: [DONE]\n\n',
  },
  anthropic: {
    read: ({ content, usage }) => ({
      text: (content as { text?: unknown }[] | undefined)?.[0]?.text,
      outputTokens: (usage as Record<string, unknown> | undefined)?.output_tokens,
    }),
    streamEnd: 'event: message_stop\ndata: {"type":"message_stop"}\n\n',
  },
};

interface OpenAiChoice {
  readonly message?: { readonly content?: unknown };
}
