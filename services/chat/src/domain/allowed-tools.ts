import type { Tool } from './conversation';

/** Returns the tools that a choice names. Linear: there may be a thousand of each, with names that differ in their last letters. */
export function allowedTools(tools: readonly Tool[], names: readonly string[]): readonly Tool[] {
  const allowed = new Set(names);
  return tools.filter(({ name }) => allowed.has(name));
}
