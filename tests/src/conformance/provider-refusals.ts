import { CHAT_FORMATS } from './caller';
import type { ConformanceCase } from './case';

const prompt = (directive: object) => [{ role: 'user', content: `[[sim ${JSON.stringify(directive)}]]` }];

const TOO_LONG = { status: 400, error: 'The context is too long.' };
const PARAMETER = { status: 400, error: 'top_k is not supported.' };
const REFUSALS: readonly [string, object, RegExp][] = [
  ['the length of the context', TOO_LONG, /context is too long/],
  ['a parameter', PARAMETER, /top_k is not supported/],
];

/** A model of each provider format, and its refusals. Gemini's policy refusals are replies, which are billed. */
const MODELS: readonly [string, readonly [string, object, RegExp][]][] = [
  ['sim/chat', [...REFUSALS, ['its content policy', { policy: true }, /violates our usage policies/]]],
  [
    'anthropic/claude-haiku-4-5',
    [...REFUSALS, ['its content policy', { policy: true }, /blocked by content filtering policy/]],
  ],
  ['google/gemini-2.5-flash', REFUSALS],
];

/** Refusals by the provider of requests that the gateway accepts. */
export const PROVIDER_REFUSAL_CASES: readonly ConformanceCase[] = CHAT_FORMATS.flatMap((endpoint) =>
  MODELS.flatMap(([model, refusals]) =>
    refusals.flatMap(([reason, directive, detail]) =>
      [false, true].map(
        (stream): ConformanceCase => ({
          code: 'invalid_request',
          when: `${model} refuses by ${reason}${stream ? ', streamed' : ''}, POST ${endpoint.path}`,
          detail,
          shouldRetry: 'false',
          provoke: ({ caller, customer }) =>
            caller.chat(customer.apiKey, { model, messages: prompt(directive), stream }, endpoint),
        }),
      ),
    ),
  ),
);
