/** Tools of the caller's own and of Anthropic's that a call may name, by their `type`. */
const CUSTOM = new Set<unknown>([undefined, null, 'custom']);
/** Anthropic defined them, the caller runs them. */
const CLIENT = /^(bash|text_editor|memory|computer)_\d{8}$/;
const CLIENT_SET = /^(computer|browser)_toolset_\d{8}$/;

const REFUSED: readonly [RegExp, string][] = [
  [/^web_search/, 'web search is billed by the search'],
  // Each pass over a server tool's result bills the whole input again, and how many there are is the model's to say.
  [/^web_fetch/, 'what is fetched can not be bounded'],
  [/^code_execution/, 'code execution is billed by the hour'],
  [/^tool_search_tool/, 'a search bills the input once more'],
  [/^advisor/, 'the adviser is another model with another price'],
  [/^mcp_toolset/, 'what a server answers can not be bounded'],
];

export type ToolKind = 'custom' | 'client' | 'client_set';

/** What the `type` of a tool says, or why it is refused. */
export function toolKind(type: unknown): ToolKind | { readonly refused: string } {
  if (CUSTOM.has(type)) return 'custom';
  if (typeof type !== 'string') return { refused: 'expected string' };
  if (CLIENT.test(type)) return 'client';
  if (CLIENT_SET.test(type)) return 'client_set';
  const reason = REFUSED.find(([pattern]) => pattern.test(type))?.[1];
  return { refused: reason ? `not offered: ${reason}` : 'no tool of this format' };
}

/**
 * Most tokens of the instructions that Anthropic adds to a call with tools, and for each tool that it has
 * defined itself; its documentation lists 159 to 900 of the first kind, and up to 1,234 of the second
 * (computer use: 735 for the tool, 499 for its instructions). Sets of tools have no documented figure.
 */
export const TOOLS_PROMPT_TOKENS = 1_000;
/** Of Claude 4 and later, where the model chooses: not a bound, for counts. */
export const TYPICAL_PROMPT_TOKENS = 346;
export const CLIENT_TOOL_TOKENS = 1_500;
/** For structured output Anthropic explains the format to the model; it documents no figure but "slightly more". */
export const FORMAT_PROMPT_TOKENS = 1_000;
