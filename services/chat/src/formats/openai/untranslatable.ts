import { GatewayError } from '@gateway/errors';
import { type ExtensionField, isRequested } from '../../domain/extension-fields';
import type { ChatCompletionBody } from './chat-schema';

/**
 * Fields that no other format can represent. Those that the caller would miss in the reply are refused; those that only help
 * OpenAI to return the same reply faster, cheaper or to a known user are dropped. All other fields are translated.
 */
export const UNTRANSLATABLE = {
  audio: { refused: 'a spoken reply' },
  chat_template_kwargs: { refused: 'it changes the prompt' },
  logit_bias: { refused: 'it forbids or forces words, by the token ids of one tokenizer' },
  logprobs: { refused: 'the caller reads them' },
  min_p: { refused: 'it changes sampling' },
  moderation: { refused: 'its verdict may block a reply, and the caller reads it' },
  n: { refused: 'the caller expects that many choices' },
  prompt_mode: { refused: 'it changes the prompt' },
  repetition_penalty: { refused: 'it changes sampling' },
  safe_prompt: { refused: 'it changes the prompt' },
  service_tier: { refused: 'it changes the price' },
  top_logprobs: { refused: 'the caller reads them' },
  metadata: { dropped: 'labels of a stored completion; `user_id` is read elsewhere' },
  prediction: { dropped: 'only speeds up the reply' },
  prompt_cache_key: { dropped: 'only routes to a warm cache' },
  prompt_cache_options: { dropped: 'only determines what is cached' },
  prompt_cache_retention: { dropped: 'only determines how long it is cached' },
  store: { dropped: 'stored completions cannot be read through the gateway' },
  verbosity: { dropped: 'a preference for the length, which the maximum bounds' },
} as const satisfies Partial<
  Record<keyof ChatCompletionBody, { readonly refused: string } | { readonly dropped: string }>
>;

type Untranslatable = keyof typeof UNTRANSLATABLE;

/** Values of refused fields that have no effect. */
const HAS_NO_EFFECT: { readonly [K in Untranslatable]?: (value: never) => boolean } = {
  logit_bias: (value: object) => Object.keys(value).length === 0,
  logprobs: (value: boolean) => !value,
  n: (value: number) => value === 1,
  service_tier: (value: string) => value === 'auto' || value === 'default',
  top_logprobs: (value: number) => value === 0,
};

/** @throws GatewayError `invalid_request` for the first field that another format can't represent */
export function refuseUntranslatable(body: ChatCompletionBody): void {
  for (const field of Object.keys(UNTRANSLATABLE) as Untranslatable[]) {
    const value = body[field];
    if (value == null || !('refused' in UNTRANSLATABLE[field])) continue;
    if (HAS_NO_EFFECT[field]?.(value as never) || !isRequested(body, field as ExtensionField)) continue;
    throw new GatewayError('invalid_request', { detail: `${field}: not supported by this model` });
  }
}
