import type { Cacheable, MessagesBody } from './messages-body';

/** The API's maximum (platform.claude.com, prompt caching). */
const MAX_BREAKPOINTS = 4;

/**
 * Keeps the last breakpoints, which cover the longest prefixes, in the prompt's order: tools, system, messages. The API
 * refuses a lifetime of an hour after one of five minutes, so it becomes five minutes.
 */
export function limitBreakpoints(body: MessagesBody): void {
  const marked = markedBlocks(body);
  for (const block of marked.splice(0, marked.length - MAX_BREAKPOINTS)) block.cache_control = undefined;
  let short = false;
  for (const block of marked) {
    if (short) block.cache_control = { type: 'ephemeral' };
    short ||= block.cache_control?.ttl === undefined;
  }
}

function markedBlocks({ tools = [], system = [], messages }: MessagesBody): Cacheable[] {
  const marked: Cacheable[] = [];
  const look = (block: Cacheable) => {
    if (block.cache_control) marked.push(block);
  };
  tools.forEach(look);
  system.forEach(look);
  for (const { content } of messages) {
    for (const block of content) {
      if (block.type === 'tool_result') block.content?.forEach(look);
      if (block.type !== 'thinking' && block.type !== 'redacted_thinking') look(block);
    }
  }
  return marked;
}
