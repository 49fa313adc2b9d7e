import { fitToolId } from '../../domain/tool-ids';

/** Servers of the format with models of their own: Kimi, DeepSeek, Z.ai, MiniMax, also in China. */
const OTHER_HOSTS =
  /(^|\.)(moonshot\.(ai|cn)|kimi\.com|deepseek\.com|z\.ai|bigmodel\.cn|minimax\.io|minimaxi\.com)$/;
/** Names of such models, also at other servers of the format, such as vLLM. */
const OTHER_MODELS = /deepseek|glm|kimi|minimax|qwen/i;

/** Claude's API refuses other characters, which calls of other models have. */
const ACCEPTED = /^[a-zA-Z0-9_-]+$/;

/** Returns the id of a call as Claude's API accepts it. */
export const fitCallId = (id: string): string => (ACCEPTED.test(id) ? id : fitToolId(id));

/**
 * Whether a server of this format expects the ids of its own calls back, whatever they are (Kimi's `functions.f:0`), as all do that
 * do not serve Claude. Any server may be one in front of Anthropic, unless its preset, its host or the model shows that it is not.
 * @param upstreamModel undefined: any of its models
 */
export const keepsCallIds = (baseUrl: string, preset: unknown, upstreamModel = ''): boolean =>
  preset !== undefined ||
  OTHER_HOSTS.test(URL.parse(baseUrl)?.hostname ?? '') ||
  OTHER_MODELS.test(upstreamModel);
