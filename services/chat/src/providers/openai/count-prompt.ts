import { TokenCounter } from '../../domain/token-count';

/** What of a chat completion request is counted. */
export interface CountedRequest {
  readonly messages: readonly CountedMessage[];
  readonly tools?: readonly unknown[] | null;
  readonly functions?: readonly unknown[] | null;
  readonly response_format?: { readonly type?: unknown } | null;
}

interface CountedMessage {
  readonly role: string;
  readonly name?: string | null;
  readonly content?: string | readonly { readonly type: string; readonly text?: unknown }[] | null;
  readonly tool_calls?:
    | readonly { readonly function?: { readonly name: string; readonly arguments: string } | null }[]
    | null;
}

// OpenAI's published rule for chat prompts (its cookbook on counting tokens): every message is framed by
// three tokens, a name costs one more, and the reply is primed with three.
const MESSAGE_TOKENS = 3;
const NAME_TOKENS = 1;
const PRIMING_TOKENS = 3;
/** The least that OpenAI documents for an image; what larger ones cost is known only to the provider. */
const MEDIA_PART_TOKENS = 85;

/** Input tokens of a request whose provider gave no figure. */
export function countPrompt(body: CountedRequest, budgetMs?: number): TokenCounter {
  const counter = new TokenCounter(budgetMs);
  counter.addTokens(PRIMING_TOKENS);
  for (const message of body.messages) countMessage(message, counter);
  for (const tool of body.tools ?? []) counter.addText(JSON.stringify(tool));
  return counter;
}

function countMessage(message: CountedMessage, counter: TokenCounter): void {
  counter.addTokens(MESSAGE_TOKENS);
  counter.addText(message.role);
  if (message.name) {
    counter.addTokens(NAME_TOKENS);
    counter.addText(message.name);
  }
  if (typeof message.content === 'string') counter.addText(message.content);
  else {
    for (const part of message.content ?? []) {
      if (part.type === 'text') counter.addText(String(part.text));
      else if (part.type !== 'refusal') counter.addTokens(MEDIA_PART_TOKENS);
    }
  }
  for (const call of message.tool_calls ?? []) {
    if (!call.function) continue;
    counter.addText(call.function.name);
    counter.addText(call.function.arguments);
  }
}

/** How far the rule above may be off for a plain conversation. */
const MARGIN_TOKENS = 32;
const MARGIN_SHARE = 0.02;
/** A caller without funds may make us count, but not for long. */
const BOUND_BUDGET_MS = 25;

/**
 * Most input tokens of a request by its model's own encoding, far fewer than its bytes; undefined where the
 * rule is not known to hold (tools and schemas are rewritten by the provider) or the time did not suffice.
 */
export function countBound(body: CountedRequest): number | undefined {
  const plain =
    !body.tools?.length && !body.functions?.length && body.response_format?.type !== 'json_schema';
  if (!plain) return undefined;
  const counter = countPrompt(body, BOUND_BUDGET_MS);
  return counter.exact ? Math.ceil(counter.tokens * (1 + MARGIN_SHARE)) + MARGIN_TOKENS : undefined;
}
