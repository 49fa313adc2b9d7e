import type { Tool } from './conversation';

/** The tools that a choice names. Of both there may be a thousand, with names that differ in their last letters only. */
export function allowedTools(tools: readonly Tool[], names: readonly string[]): readonly Tool[] {
  const allowed = new Set(names);
  return tools.filter(({ name }) => allowed.has(name));
}
