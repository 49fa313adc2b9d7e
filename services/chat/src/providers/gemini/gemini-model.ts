/**
 * What a Gemini model accepts. Its thinking levels are in the catalog, because they differ between models; the rest depends
 * on the version (ai.google.dev/gemini-api/docs: thinking, function-calling, tool-combination, and whats-new-gemini-3.6 and -3.7). Only old
 * versions are named here: unknown versions are treated as the newest.
 */
export interface GeminiModel {
  /** Thinks within a token budget; later models think in levels. */
  readonly thinksByBudget: boolean;
  /** Refuses a function call in its history without a signature. */
  readonly demandsSignatures: boolean;
  /** Function responses may have media. */
  readonly mediaInResponses: boolean;
  /** Supports JSON output and functions in one request. */
  readonly jsonBesideTools: boolean;
  /** Searches beside functions, if the call asks for the combination. */
  readonly searchesBesideTools: boolean;
  /** Temperature, top-p and top-k can't be set: some models ignore them, others refuse them. */
  readonly fixedSampling: boolean;
  /** Continues a model turn at the end of the conversation. */
  readonly continuesOwnTurn: boolean;
}

const BEFORE_3 = /^gemini-[12]\./;
/** The successor of `gemini-3.5-flash` answers calls to that name. */
const BEFORE_3_5 = /^gemini-([12]\.|3-|3\.[0-4]-)/;

export function geminiModel(name: string): GeminiModel {
  const third = !BEFORE_3.test(name);
  const newest = !BEFORE_3_5.test(name);
  return {
    thinksByBudget: !third,
    demandsSignatures: third,
    mediaInResponses: third,
    jsonBesideTools: third,
    searchesBesideTools: third,
    fixedSampling: newest,
    continuesOwnTurn: !newest,
  };
}
