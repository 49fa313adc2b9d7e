/**
 * What a Gemini model takes. What it can be asked to think is in the catalog, for that changes from model to
 * model; the rest goes by version (ai.google.dev/gemini-api/docs: thinking, function-calling, and
 * whats-new-gemini-3.6 and -3.7). The versions named here are past: what is not known is as the newest are.
 */
export interface GeminiModel {
  /** Thinks in tokens that can be counted out to it; later ones in levels. */
  readonly thinksByBudget: boolean;
  /** Refuses a function call of its history without a signature. */
  readonly demandsSignatures: boolean;
  /** Function responses may have media. */
  readonly mediaInResponses: boolean;
  /** JSON output and functions in one request. */
  readonly jsonBesideTools: boolean;
  /** Temperature, top-p and top-k cannot be chosen: to some they mean nothing, others refuse them. */
  readonly fixedSampling: boolean;
  /** A conversation may end with a model's turn, which is then continued. */
  readonly continuesOwnTurn: boolean;
}

const BEFORE_3 = /^gemini-[12]\./;
/** `gemini-3.5-flash` itself is answered by its successor. */
const BEFORE_3_5 = /^gemini-([12]\.|3-|3\.[0-4]-)/;

export function geminiModel(name: string): GeminiModel {
  const third = !BEFORE_3.test(name);
  const newest = !BEFORE_3_5.test(name);
  return {
    thinksByBudget: !third,
    demandsSignatures: third,
    mediaInResponses: third,
    jsonBesideTools: third,
    fixedSampling: newest,
    continuesOwnTurn: !newest,
  };
}
