/**
 * Names of betas, without their dates, that Claude on Vertex AI knows; it refuses a call with any other. Most of those that
 * clients send to any model are hints (LiteLLM, `anthropic_beta_headers_config.json`).
 */
const ACCEPTED = new Set([
  'compact',
  'computer-use',
  'context-management',
  'dangerous-tool-use',
  'interleaved-thinking',
  'per-turn-control',
  'thinking-binding-controls',
  'thinking-display-updates',
  'tool-search-tool',
  'web-search',
]);
/** Betas that have another name there. */
const RENAMED: ReadonlyMap<string, string> = new Map([
  ['advanced-tool-use-2025-11-20', 'tool-search-tool-2025-10-19'],
]);
const DATE = /-\d{4}-\d{2}-\d{2}$/;

/** Returns the value of an `anthropic-beta` header without the betas that Vertex AI refuses; undefined if none remains. */
export function acceptedBetas(header: string | undefined): string | undefined {
  const betas = (header ?? '')
    .split(',')
    .map((beta) => RENAMED.get(beta) ?? beta)
    .filter((beta) => ACCEPTED.has(beta.replace(DATE, '')));
  return betas.length > 0 ? [...new Set(betas)].join(',') : undefined;
}
