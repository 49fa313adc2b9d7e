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
/** A capability of the catalog: sound costs what text does, so that one price holds for all of the input. */
const AUDIO = 'audio';
const JSON_TYPE = 'application/json';
/** `seed` is an int32. */
const MIN_SEED = -(2 ** 31);
const MAX_SEED = 2 ** 31 - 1;

/**
 * The body of generateContent (ai.google.dev/api/generate-content). Left out as hints: cache points (the cache
 * is implicit), the end user's id, an image's detail, presence and frequency penalties (present models answer
 * "Penalty is not enabled for this model", google-gemini/cookbook#1290) and a seed too large.
 * @throws GatewayError `invalid_request` for what Gemini cannot do and the caller would miss
 */
export function writeGeminiRequest(
  conversation: Conversation,
  upstreamModel: string,
  maxOutputTokens: number,
  capabilities: ReadonlySet<string>,
): Buffer {
  if (!capabilities.has(AUDIO) && hears(conversation)) {
    throw refused('audio is not offered with this model: it costs more than text');
  }
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
 * Instructions from the middle of a conversation come to those before it: `contents` has no speaker for them,
 * and in the user's mouth they would lose their authority.
 */
function systemParts(conversation: Conversation): GeminiPart[] {
  const said = allInstructions(conversation).filter(({ text }) => text !== '');
  return said.map(({ text }) => ({ text }));
}

function hears({ turns }: Conversation): boolean {
  return turns.some(({ role, parts }) => role === 'user' && parts.some(({ kind }) => kind === 'audio'));
}

function writeSampling(sampling: Sampling, model: GeminiModel): object {
  const stop = sampling.stop.filter((sequence) => sequence !== '');
  if (stop.length > MAX_STOP_SEQUENCES) {
    throw refused(`this model takes at most ${MAX_STOP_SEQUENCES} stop sequences`);
  }
  const { temperature, topP, topK, seed } = sampling;
  const seedFits = seed !== undefined && seed >= MIN_SEED && seed <= MAX_SEED;
  return {
    // JSON leaves out what is undefined.
    ...(!model.fixedSampling && { temperature, topP, topK }),
    seed: seedFits ? seed : undefined,
    stopSequences: stop.length > 0 ? stop : undefined,
  };
}

function writeOutput({ output, tools, toolChoice }: Conversation, model: GeminiModel): object {
  if (output.kind === 'text') return {};
  if (tools.length > 0 && toolChoice.kind !== 'none' && !model.jsonBesideTools) {
    throw refused('this model does not give JSON output when it has tools');
  }
  return { responseMimeType: JSON_TYPE, ...schemaOf(output) };
}

function schemaOf(output: OutputShape): object {
  return output.kind === 'schema' ? { responseJsonSchema: writeSchema(output.schema) } : {};
}

function refused(detail: string): GatewayError {
  return new GatewayError('invalid_request', { detail });
}
