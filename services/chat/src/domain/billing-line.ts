import { isObject, textOf } from '@gateway/upstream';

/** Claude Code's instructions begin with it; its `cch` differs in each call (anthropics/claude-code#24168). */
const LINE = /^\s*x-anthropic-billing-header:[^\n]*\n*/i;

/**
 * Returns instructions without the line by which Anthropic attributes a call to Claude Code; the same value if they have none, and
 * undefined if nothing is left. Other providers would not find a prompt that begins with it in their caches, or refuse it.
 * @param system a text, or a list of text blocks
 */
export function withoutBillingLine(system: unknown): unknown {
  if (typeof system === 'string') return LINE.test(system) ? system.replace(LINE, '') || undefined : system;
  if (!Array.isArray(system) || !system.some(hasLine)) return system;
  const blocks = system.flatMap((block) => {
    if (!hasLine(block)) return [block];
    const text = block.text.replace(LINE, '');
    return text === '' ? [] : [{ ...block, text }];
  });
  return blocks.length > 0 ? blocks : undefined;
}

const hasLine = (block: unknown): block is { readonly text: string } =>
  isObject(block) && LINE.test(textOf(block.text));
