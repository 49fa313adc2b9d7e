/** Types of the caller's own tools. */
const CUSTOM = new Set<unknown>([undefined, null, 'custom']);
/** Tools that Anthropic defines and the caller runs. */
const CLIENT = /^(bash|text_editor|memory|computer)_\d{8}$/;
const CLIENT_SET = /^(computer|browser)_toolset_\d{8}$/;

const REFUSED: readonly [RegExp, string][] = [
  [/^web_search/, 'this web search may run code, which is billed by the hour: use web_search_20250305'],
  // Each time the model reads a server tool's result, the whole input is billed again, and the model decides how often.
  [/^web_fetch/, 'fetched pages have no maximum size: max_content_tokens does not apply to PDFs'],
  [/^code_execution/, 'code execution is billed by the hour'],
  [/^tool_search_tool/, 'a search bills the input again'],
  [/^advisor/, 'the advisor is another model with another price'],
  [/^mcp_toolset/, "a server's responses have no maximum size"],
];

/** The tool with which Anthropic searches the web. */
const WEB_SEARCH_TYPE = 'web_search_20250305';

export type ToolKind = 'custom' | 'client' | 'client_set' | 'web_search';

/** Returns the kind of a tool by its `type`, or why the tool is refused. */
export function toolKind(type: unknown): ToolKind | { readonly refused: string } {
  if (CUSTOM.has(type)) return 'custom';
  if (typeof type !== 'string') return { refused: 'expected string' };
  if (type === WEB_SEARCH_TYPE) return 'web_search';
  if (CLIENT.test(type)) return 'client';
  if (CLIENT_SET.test(type)) return 'client_set';
  const reason = REFUSED.find(([pattern]) => pattern.test(type))?.[1];
  return { refused: reason ? `not supported: ${reason}` : 'not a tool of this format' };
}

/**
 * Maximum tokens of the instructions that Anthropic adds to a call with tools, and for each tool that it defines. Its
 * documentation lists 159 to 900 of the former, and up to 1,234 of the latter (computer use: 735 for the tool, 499 for its
 * instructions). Toolsets have no documented figure.
 */
export const TOOLS_PROMPT_TOKENS = 1_000;
/** Of Claude 4 and later with tool choice `auto`. Not a maximum; used for counting tokens. */
export const TYPICAL_PROMPT_TOKENS = 346;
export const CLIENT_TOOL_TOKENS = 1_500;
/** Anthropic describes the output format to the model; it documents no figure but "slightly more". */
export const FORMAT_PROMPT_TOKENS = 1_000;
