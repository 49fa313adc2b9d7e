import { GatewayError } from '@gateway/errors';
import { asksFor, type ExtensionField } from '../../domain/extension-fields';
import type { ChatCompletionBody } from './chat-schema';

/**
 * What no other format can say. Refused is what the caller would miss in the reply, dropped what only helps
 * OpenAI to give the same reply sooner, cheaper or to somebody known. Everything else is carried.
 */
export const UNTRANSLATABLE = {
  audio: { refused: 'a spoken reply' },
  chat_template_kwargs: { refused: 'it changes the prompt' },
  logit_bias: { refused: 'it forbids or forces words, by the numbers of one tokenizer' },
  logprobs: { refused: 'the caller reads them' },
  min_p: { refused: 'it changes which words are chosen' },
  moderation: { refused: 'its verdict may block a reply, and the caller reads it' },
  n: { refused: 'the caller expects as many choices' },
  prompt_mode: { refused: 'it changes the prompt' },
  repetition_penalty: { refused: 'it changes which words are chosen' },
  safe_prompt: { refused: 'it changes the prompt' },
  service_tier: { refused: 'it is paid for' },
  top_logprobs: { refused: 'the caller reads them' },
  web_search_options: { refused: 'the reply would lack what was to be looked up' },
  metadata: { dropped: 'labels of a stored completion; `user_id` is read elsewhere' },
  prediction: { dropped: 'only makes the reply come sooner' },
  prompt_cache_key: { dropped: 'only routes to a warm cache' },
  prompt_cache_options: { dropped: 'only decides what is cached' },
  prompt_cache_retention: { dropped: 'only decides how long is cached' },
  store: { dropped: 'completions stored there cannot be read through the gateway' },
  verbosity: { dropped: 'a wish about length, which the maximum bounds' },
} as const satisfies Partial<
  Record<keyof ChatCompletionBody, { readonly refused: string } | { readonly dropped: string }>
>;

type Untranslatable = keyof typeof UNTRANSLATABLE;

/** Values of refused fields that ask for nothing. */
const ASKS_NOTHING: { readonly [K in Untranslatable]?: (value: never) => boolean } = {
  logit_bias: (value: object) => Object.keys(value).length === 0,
  logprobs: (value: boolean) => !value,
  n: (value: number) => value === 1,
  service_tier: (value: string) => value === 'auto' || value === 'default',
  top_logprobs: (value: number) => value === 0,
};

/** @throws GatewayError `invalid_request` for the first field that another format cannot carry */
export function refuseUntranslatable(body: ChatCompletionBody): void {
  for (const field of Object.keys(UNTRANSLATABLE) as Untranslatable[]) {
    const value = body[field];
    if (value == null || !('refused' in UNTRANSLATABLE[field])) continue;
    if (ASKS_NOTHING[field]?.(value as never) || !asksFor(body, field as ExtensionField)) continue;
    throw new GatewayError('invalid_request', { detail: `${field}: not supported by this model` });
  }
}
