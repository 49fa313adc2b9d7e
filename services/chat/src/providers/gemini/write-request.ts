import { GatewayError } from '@gateway/errors';
import { allInstructions } from '../../domain/all-instructions';
import type { Conversation, OutputShape, Sampling } from '../../domain/conversation';
import { writeMembers } from '../../json/write-members';
import type { GeminiPart } from './gemini-content';
import { type GeminiModel, geminiModel } from './gemini-model';
import { writeContents } from './write-contents';
import { writeThinking } from './write-thinking';
import { writeSchema, writeTools } from './write-tools';

const MAX_STOP_SEQUENCES = 5;
const JSON_TYPE = 'application/json';
/** `seed` is an int32. */
const MIN_SEED = -(2 ** 31);
const MAX_SEED = 2 ** 31 - 1;

/**
 * Writes the body of generateContent (ai.google.dev/api/generate-content). Omitted as hints: cache points (the cache is
 * implicit), the end user's id, an image's detail, presence and frequency penalties (current models answer "Penalty is not
 * enabled for this model", google-gemini/cookbook#1290) and a seed that is too large.
 * @throws GatewayError `invalid_request` for anything that Gemini lacks and the caller would miss
 */
export function writeGeminiRequest(
  conversation: Conversation,
  upstreamModel: string,
  maxOutputTokens: number,
  capabilities: ReadonlySet<string>,
): Buffer {
  const model = geminiModel(upstreamModel);
  const system = systemParts(conversation);
  const thinkingConfig = writeThinking(conversation.reasoning, model, maxOutputTokens, capabilities);
  return Buffer.from(
    writeMembers({
      systemInstruction: system.length > 0 ? { parts: system } : undefined,
      contents: writeContents(conversation.turns, model),
      ...writeTools(conversation, model),
      generationConfig: {
        maxOutputTokens,
        ...writeSampling(conversation.sampling, model),
        ...writeOutput(conversation, model),
        thinkingConfig,
      },
    }),
  );
}

/**
 * Instructions from the middle of a conversation are appended to the first ones: `contents` has no role for them, and as
 * user text they would lose their authority.
 */
function systemParts(conversation: Conversation): GeminiPart[] {
  const said = allInstructions(conversation).filter(({ text }) => text !== '');
  return said.map(({ text }) => ({ text }));
}

function writeSampling(sampling: Sampling, model: GeminiModel): object {
  const stop = sampling.stop.filter((sequence) => sequence !== '');
  if (stop.length > MAX_STOP_SEQUENCES) {
    throw refused(`this model takes at most ${MAX_STOP_SEQUENCES} stop sequences`);
  }
  const { temperature, topP, topK, seed } = sampling;
  const seedFits = seed !== undefined && seed >= MIN_SEED && seed <= MAX_SEED;
  return {
    // JSON omits undefined members.
    ...(!model.fixedSampling && { temperature, topP, topK }),
    seed: seedFits ? seed : undefined,
    stopSequences: stop.length > 0 ? stop : undefined,
  };
}

function writeOutput({ output, tools, webSearch, toolChoice }: Conversation, model: GeminiModel): object {
  if (output.kind === 'text') return {};
  if ((tools.length > 0 || webSearch) && toolChoice.kind !== 'none' && !model.jsonBesideTools) {
    throw refused('this model does not support JSON output together with tools');
  }
  return { responseMimeType: JSON_TYPE, ...schemaOf(output) };
}

function schemaOf(output: OutputShape): object {
  return output.kind === 'schema' ? { responseJsonSchema: writeSchema(output.schema) } : {};
}

function refused(detail: string): GatewayError {
  return new GatewayError('invalid_request', { detail });
}
