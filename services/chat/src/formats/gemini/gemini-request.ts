import { GatewayError } from '@gateway/errors';
import { missingParameter, parseJsonObject, safeParse, schemaError, withMembers } from '@gateway/json-body';
import { isObject, refusalOfLink } from '@gateway/upstream';
import type { CallerRequest, UnknownFields } from '../../domain/caller-request';
import type { Conversation, Effort, OutputShape, Reasoning } from '../../domain/conversation';
import type { PassThroughChange } from '../../domain/pass-through-change';
import { MAX_WEB_SEARCHES, type RequestSize } from '../../domain/upper-bound';
import { sizeOfAudio } from '../audio-size';
import { BODY_BOUNDS } from '../body-bounds';
import { camelCase } from './camel-case';
import { withExactArguments } from './exact-arguments';
import { geminiReplies } from './gemini-replies';
import {
  type Content,
  type GenerateContentBody,
  generateContentSchema,
  looseGenerateContentSchema,
  type Part,
} from './gemini-schema';
import { toJsonSchema, toToolChoice, toTools, toWebSearch, withNumericBounds } from './to-tools';
import { toTexts, toTurns } from './to-turns';

/** Required fields for which null and empty count as missing. */
const REQUIRED = ['contents', 'parts', 'functionDeclarations.name'];
const MAX_CONTENTS = 20_000;
const MAX_PARTS = 20_000;
/** Hosts of files in the operator's own Google account, and of videos. */
const OPERATORS_FILES =
  /(^|\.)(generativelanguage\.googleapis\.com|storage\.googleapis\.com|storage\.cloud\.google\.com)\.?$/;
const VIDEOS = /(^|\.)(youtube\.com|youtu\.be|youtube-nocookie\.com)\.?$/;
const EFFORTS: ReadonlySet<string> = new Set<Effort>(['minimal', 'low', 'medium', 'high']);

export interface GeminiCall {
  /** As in the path. */
  readonly model: string;
  readonly stream: boolean;
}

/**
 * @param unknownFields how to treat top-level fields that the format does not document
 * @throws GatewayError `invalid_request`, then `missing_parameter`
 */
export function parseGenerateContent(
  bytes: Buffer,
  { model, stream }: GeminiCall,
  unknownFields: UnknownFields = 'refuse',
): CallerRequest {
  const { value, members } = parseJsonObject(bytes, BODY_BOUNDS);
  const body = parseBody(value, unknownFields);
  const { generationConfig: config } = body;
  // The passage of a stream ends with its first candidate.
  if (stream && (config?.candidateCount ?? 1) > 1)
    throw invalid('generationConfig.candidateCount: only 1 is supported in streams');
  const maxOutputTokens = config?.maxOutputTokens ?? undefined;
  const thinkingBudgetTokens = config?.thinkingConfig?.thinkingBudget ?? 0;
  let conversation: Conversation | undefined;
  return {
    wire: 'gemini',
    model,
    stream,
    includeUsage: true,
    serviceTier: undefined,
    size: {
      bodyBytes: bytes.length,
      ...sizeOfMedia(body.contents),
      choices: config?.candidateCount ?? 1,
      predictionBytes: 0,
      ...(maxOutputTokens !== undefined && { maxOutputTokens }),
      ...(thinkingBudgetTokens > 0 && { thinkingBudgetTokens }),
      ...(toWebSearch(body) && { webSearches: MAX_WEB_SEARCHES }),
    },
    passThroughHeaders: {},
    parsed: value,
    conversation() {
      conversation ??= toConversation(body, withExactArguments(body.contents, bytes, members), stream);
      return conversation;
    },
    passThroughBody: (change) => withMembers(bytes, members, changesOf(value, change)),
    replies: geminiReplies(config?.thinkingConfig?.includeThoughts === true),
  };
}

/** The body without what only the path names; a lowered maximum is inside another member. */
function changesOf(
  value: Readonly<Record<string, unknown>>,
  { maxTokens, overrides }: PassThroughChange,
): Map<string, string | undefined> {
  const changes = new Map<string, string | undefined>();
  if (value.model !== undefined) changes.set('model', undefined);
  if (maxTokens !== undefined) {
    const name = value.generation_config === undefined ? 'generationConfig' : 'generation_config';
    const { max_output_tokens: _, ...config } = (value[name] ?? {}) as Record<string, unknown>;
    changes.set(name, JSON.stringify({ ...config, maxOutputTokens: maxTokens }));
  }
  for (const [member, changed] of overrides?.(value) ?? []) changes.set(member, changed);
  return changes;
}

/** Returns the conversation of a valid body, for `countTokens`. */
export function conversationOf(value: Record<string, unknown>, unknownFields: UnknownFields): Conversation {
  const body = parseBody(value, unknownFields);
  return toConversation(body, body.contents, false);
}

function parseBody(value: Record<string, unknown>, unknownFields: UnknownFields): GenerateContentBody {
  refuseExcess(value.contents);
  const named = camelCase(value) as Record<string, unknown>;
  const schema = unknownFields === 'refuse' ? generateContentSchema : looseGenerateContentSchema;
  const result = safeParse<GenerateContentBody>(schema, named);
  if (!result.success) throw schemaError(named, result.error.issues, REQUIRED);
  const body = result.data;
  if (body.contents.length === 0) throw missingParameter('contents');
  for (const [index, { role, parts }] of body.contents.entries())
    if (role !== 'model' && parts.every(isEmptyText)) throw missingParameter(`contents[${index}].parts`);
  refuseUnsupported(body, named.tools);
  return body;
}

/** True for a part with nothing but an empty text. */
const isEmptyText = (part: Part): boolean => part.text === '' && Object.keys(part).length === 1;

function refuseExcess(value: unknown): void {
  const contents = Array.isArray(value) ? value : [value];
  if (contents.length > MAX_CONTENTS) throw invalid('contents: too many entries');
  let parts = 0;
  for (const entry of contents) if (Array.isArray(entry?.parts)) parts += entry.parts.length;
  if (parts > MAX_PARTS) throw invalid('contents: too many parts');
}

/** Why tools that Google runs are refused. Whatever their results add to the input is billed. */
const REFUSED_TOOLS: ReadonlyMap<string, string> = new Map([
  ['urlContext', 'fetched pages have no maximum size'],
  ['codeExecution', 'the model runs code as often as it decides, and each run bills its output again'],
  ['googleMaps', 'its searches have no price here'],
  ['googleSearchRetrieval', 'use googleSearch'],
]);

function refusalOfTool(name: string): string {
  const reason = REFUSED_TOOLS.get(name);
  return reason ? `not supported: ${reason}` : 'not supported';
}

/** What costs something that has no price here, or belongs to the account that all callers share. */
function refuseUnsupported(
  { cachedContent, generationConfig, contents, systemInstruction: system }: GenerateContentBody,
  tools: unknown,
): void {
  if (cachedContent) throw invalid('cachedContent: cached contents are not supported');
  const { responseModalities, speechConfig } = generationConfig ?? {};
  if (speechConfig || responseModalities?.some((modality) => modality.toUpperCase() !== 'TEXT'))
    throw invalid('generationConfig.responseModalities: only TEXT is supported');
  for (const [index, tool] of (Array.isArray(tools) ? tools : []).entries()) {
    const other = Object.keys(tool ?? {}).find(
      (name) => name !== 'functionDeclarations' && name !== 'googleSearch' && tool[name] != null,
    );
    if (other !== undefined) throw invalid(`tools[${index}].${other.slice(0, 64)}: ${refusalOfTool(other)}`);
  }
  if (typeof system === 'object' && system?.parts.some(({ text }) => typeof text !== 'string'))
    throw invalid('systemInstruction.parts: only text is supported');
  for (const [index, { parts }] of contents.entries())
    for (const [at, part] of parts.entries()) {
      const path = `contents[${index}].parts[${at}]`;
      refuseMedia(part, path);
      for (const inner of part.functionResponse?.parts ?? []) refuseMedia(inner, path);
    }
}

function refuseMedia({ inlineData, fileData }: Pick<Part, 'inlineData' | 'fileData'>, path: string): void {
  if (inlineData && /^video\//i.test(inlineData.mimeType)) throw invalid(`${path}: videos are not supported`);
  if (!fileData) return;
  const why = refusalOfLink(fileData.fileUri);
  if (why) throw invalid(`${path}.fileData.fileUri: ${why}`);
  const { hostname } = new URL(fileData.fileUri);
  if (OPERATORS_FILES.test(hostname))
    throw invalid(`${path}: uploaded files are not supported: send their data`);
  if (VIDEOS.test(hostname) || /^video\//i.test(fileData.mimeType ?? ''))
    throw invalid(`${path}: videos are not supported`);
}

function sizeOfMedia(
  contents: readonly Content[],
): Pick<RequestSize, 'hasMedia' | 'images' | 'imageBytes' | 'pdfs' | 'pdfBytes' | 'links' | 'audio'> {
  let hasMedia = false;
  let images = 0;
  let imageBytes = 0;
  const pdfs: string[] = [];
  let pdfBytes = 0;
  const audio: { data: string; type: string }[] = [];
  let linkedAudio = 0;
  const blobs = contents.flatMap(({ parts }) =>
    parts.flatMap(({ inlineData, functionResponse }) => [
      ...(inlineData ? [inlineData] : []),
      ...(functionResponse?.parts ?? []).flatMap((part) => part.inlineData ?? []),
    ]),
  );
  for (const { mimeType, data } of blobs) {
    const type = mimeType.toLowerCase();
    if (type.startsWith('image/')) {
      images++;
      imageBytes += data.length;
    } else if (type === 'application/pdf') {
      pdfs.push(data);
      pdfBytes += data.length;
    } else if (type.startsWith('audio/')) audio.push({ data, type });
  }
  for (const { parts } of contents)
    for (const { fileData } of parts)
      if (fileData) {
        if (/^audio\//i.test(fileData.mimeType ?? '')) linkedAudio++;
        if ((fileData.mimeType ?? '').startsWith('image/')) images++;
        else hasMedia = true;
      }
  return {
    hasMedia,
    ...sizeOfAudio(audio, linkedAudio, 0),
    images,
    imageBytes,
    ...(pdfs.length > 0 && { pdfs, pdfBytes }),
    ...linksOf(contents),
  };
}

function linksOf(contents: readonly Content[]): Pick<RequestSize, 'links'> {
  const links = contents.flatMap(({ parts }) =>
    parts.flatMap(({ fileData }) => (fileData ? [fileData.fileUri] : [])),
  );
  return links.length > 0 ? { links } : {};
}

/** @throws GatewayError `invalid_request` for what another format can't represent and the caller would miss */
function toConversation(
  body: GenerateContentBody,
  contents: readonly Content[],
  stream: boolean,
): Conversation {
  const { systemInstruction: system, generationConfig: config } = body;
  if ((config?.candidateCount ?? 1) > 1) throw invalid('candidateCount: not supported by this model');
  if (config?.responseLogprobs) throw invalid('responseLogprobs: not supported by this model');
  const tools = toTools(body);
  return {
    system: typeof system === 'string' ? toTexts([{ text: system }]) : toTexts(system?.parts ?? []),
    turns: toTurns(contents),
    tools,
    webSearch: toWebSearch(body),
    toolChoice: toToolChoice(body, tools),
    parallelToolCalls: undefined,
    output: toOutput(config),
    reasoning: toReasoning(config),
    sampling: {
      temperature: config?.temperature ?? undefined,
      topP: config?.topP ?? undefined,
      topK: config?.topK ? Math.round(config.topK) : undefined,
      presencePenalty: config?.presencePenalty ?? undefined,
      frequencyPenalty: config?.frequencyPenalty ?? undefined,
      seed: config?.seed ?? undefined,
      stop: config?.stopSequences?.filter((sequence) => sequence !== '') ?? [],
    },
    maxOutputTokens: config?.maxOutputTokens ?? undefined,
    endUser: undefined,
    stream,
  };
}

type Config = GenerateContentBody['generationConfig'];

function toOutput(config: Config): OutputShape {
  const { responseMimeType, responseSchema, responseJsonSchema } = config ?? {};
  const schema = withNumericBounds(responseJsonSchema ?? (responseSchema && toJsonSchema(responseSchema)));
  if (isObject(schema))
    return { kind: 'schema', name: 'output', description: undefined, schema, strict: undefined };
  return { kind: responseMimeType === 'application/json' ? 'json' : 'text' };
}

/** A budget of -1 lets the model decide, and 0 switches thinking off. */
function toReasoning(config: Config): Reasoning | undefined {
  const { thinkingBudget: budget, thinkingLevel, includeThoughts } = config?.thinkingConfig ?? {};
  const level = thinkingLevel?.toLowerCase() ?? '';
  if (EFFORTS.has(level)) return { effort: level as Effort };
  if (budget === 0) return { effort: 'none' };
  if (budget != null && budget > 0) return { budgetTokens: budget };
  return budget === -1 || includeThoughts ? { adaptive: true } : undefined;
}

const invalid = (detail: string) => new GatewayError('invalid_request', { detail });
