import type { AssistantPart, Signature, Turn } from '../../domain/conversation';
import type { ModelFamily } from './model-family';

/** GPT's encrypted thinking, as replies contain it. */
const GPT_THINKING = 'rsn_';

/**
 * Returns the turns for `writeMessages`, which writes the thinking of the format that it is named for: with the thinking that
 * the model can read under that name, and no other. Without tools Converse refuses tool calls of the history, so they become
 * text; `writeMessages` then writes their results as text too.
 * @param offersTools the request has tools
 */
export function readableTurns(turns: readonly Turn[], family: ModelFamily, offersTools: boolean): Turn[] {
  return turns.map((turn) =>
    turn.role === 'assistant'
      ? { role: 'assistant', parts: turn.parts.flatMap((part) => readable(part, family, offersTools)) }
      : turn,
  );
}

function readable(part: AssistantPart, family: ModelFamily, offersTools: boolean): AssistantPart[] {
  switch (part.kind) {
    case 'thinking':
      return family === 'claude' && isClaudeSignature(part.signature)
        ? [{ ...part, signature: asAnthropicSignature(part.signature) }]
        : [];
    case 'redacted_thinking':
      return isReadableBy(family, part.data) ? [{ ...part, data: asAnthropicSignature(part.data) }] : [];
    case 'tool_call': {
      if (offersTools) return [part];
      const text = `Called the tool ${part.name} with ${part.arguments || '{}'}.`;
      return [{ kind: 'text', text, cache: part.cache }];
    }
    default:
      return [part];
  }
}

/** Signatures of Claude are valid on all platforms (platform.claude.com, extended thinking); Bedrock's other models sign nothing. */
function isClaudeSignature(signature: Signature | undefined): signature is Signature {
  return signature?.wire === 'bedrock' || signature?.wire === 'anthropic';
}

function isReadableBy(family: ModelFamily, { wire, value }: Signature): boolean {
  if (wire !== 'bedrock') return false;
  const isGptThinking = Buffer.from(value.slice(0, 8), 'base64').toString('latin1').startsWith(GPT_THINKING);
  return family === (isGptThinking ? 'gpt' : 'claude');
}

const asAnthropicSignature = ({ value }: Signature): Signature => ({ wire: 'anthropic', value });
