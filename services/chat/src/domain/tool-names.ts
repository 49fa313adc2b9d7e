import { createHash } from 'node:crypto';

/** The names of tools that a provider accepts. */
export interface ToolNameRule {
  readonly accepted: RegExp;
  /** Matches each character that is refused; global. */
  readonly refused: RegExp;
  readonly maxChars: number;
}

/** What a provider refuses in calls of its own format. */
export interface ToolLimits {
  readonly names: ToolNameRule;
  /** It refuses alternatives at the root of parameters (`flatSchema`). */
  readonly flatParameters?: boolean;
  /**
   * Returns the id of a call as the provider accepts it; absent: it accepts any.
   * @param upstreamModel undefined: as all models of the provider accept it
   */
  readonly fitId?: (id: string, upstreamModel?: string) => string;
}

/** OpenAI's (reference of chat completions, `tools[].function.name`), which Mistral, Bedrock and most compatible servers share. */
export const COMMON_TOOL_NAMES: ToolNameRule = {
  accepted: /^[a-zA-Z0-9_-]{1,64}$/,
  refused: /[^a-zA-Z0-9_-]/g,
  maxChars: 64,
};

/** platform.claude.com, reference of messages, `tools[].name`. */
export const ANTHROPIC_TOOL_NAMES: ToolNameRule = {
  ...COMMON_TOOL_NAMES,
  accepted: /^[a-zA-Z0-9_-]{1,128}$/,
  maxChars: 128,
};

/** ai.google.dev/api/caching, `FunctionDeclaration`: it begins with a letter or an underscore. */
export const GOOGLE_TOOL_NAMES: ToolNameRule = {
  accepted: /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/,
  refused: /^(?=[^a-zA-Z_])|[^a-zA-Z0-9_.:-]/g,
  maxChars: 64,
};

const HASH_CHARS = 8;

/**
 * Returns the name itself if the rule accepts it, or else one derived from it, which is the same in any turn and differs for any other
 * name.
 */
export function fitToolName(name: string, { accepted, refused, maxChars }: ToolNameRule): string {
  if (accepted.test(name)) return name;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, HASH_CHARS);
  return `${name.replace(refused, '_').slice(0, maxChars - HASH_CHARS - 1)}_${hash}`;
}
