import { z } from 'zod';
import { list } from '../list';

/** A field that a client may omit or send as null. */
const optional = <T extends z.ZodType>(type: T) => type.nullish();

const text = z.string();
const jsonObject = z.custom<Record<string, unknown>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'Invalid input: expected object',
);

const blob = z.looseObject({ mimeType: z.string().min(1), data: text });
const part = z.looseObject({
  text: optional(text),
  thought: optional(z.boolean()),
  thoughtSignature: optional(text),
  inlineData: optional(blob),
  fileData: optional(z.looseObject({ mimeType: optional(text), fileUri: z.string().min(1) })),
  functionCall: optional(
    z.looseObject({ id: optional(text), name: z.string().min(1), args: optional(jsonObject) }),
  ),
  functionResponse: optional(
    z.looseObject({
      id: optional(text),
      name: z.string().min(1),
      response: optional(jsonObject),
      parts: optional(list(z.looseObject({ inlineData: optional(blob), fileData: z.null().optional() }))),
    }),
  ),
});
export type Part = z.output<typeof part>;

const content = z.looseObject({ role: optional(z.enum(['user', 'model', 'function'])), parts: list(part) });
export type Content = z.output<typeof content>;

/** Its role means nothing: clients send `system`, `user` or none. */
const instruction = z.looseObject({ role: optional(text), parts: list(part) });

const declaration = z.looseObject({
  name: z.string().min(1),
  description: optional(text),
  parameters: optional(jsonObject),
  parametersJsonSchema: optional(jsonObject),
});
export type FunctionDeclaration = z.output<typeof declaration>;

const generationConfig = z.looseObject({
  temperature: optional(z.number().min(0).max(2)),
  topP: optional(z.number().min(0).max(1)),
  topK: optional(z.number().min(0)),
  maxOutputTokens: optional(z.int().min(1)),
  candidateCount: optional(z.int().min(1).max(8)),
  stopSequences: optional(z.array(text).max(5)),
  seed: optional(z.int()),
  presencePenalty: optional(z.number()),
  frequencyPenalty: optional(z.number()),
  responseMimeType: optional(text),
  responseSchema: optional(jsonObject),
  responseJsonSchema: optional(jsonObject),
  responseModalities: optional(z.array(text).max(5)),
  responseLogprobs: optional(z.boolean()),
  speechConfig: optional(jsonObject),
  thinkingConfig: optional(
    z.looseObject({
      includeThoughts: optional(z.boolean()),
      thinkingBudget: optional(z.int()),
      thinkingLevel: optional(text),
    }),
  ),
});

/** Searches of images have another price. */
const googleSearch = z.strictObject({
  timeRangeFilter: optional(jsonObject),
  excludeDomains: optional(z.array(text).max(100)),
  searchTypes: optional(z.strictObject({ webSearch: optional(jsonObject) })),
});

/** The body of `generateContent` and `streamGenerateContent` (@google/genai 3.1), with names in camel case. */
export const generateContentSchema = z.strictObject({
  contents: z.preprocess((value) => (jsonObject.safeParse(value).success ? [value] : value), list(content)),
  systemInstruction: optional(z.union([text, instruction])),
  tools: optional(
    list(
      z.looseObject({
        functionDeclarations: optional(list(declaration)),
        googleSearch: optional(googleSearch),
      }),
    ),
  ),
  toolConfig: optional(
    z.looseObject({
      functionCallingConfig: optional(
        z.looseObject({ mode: optional(text), allowedFunctionNames: optional(z.array(text)) }),
      ),
    }),
  ),
  safetySettings: optional(z.array(jsonObject)),
  generationConfig: optional(generationConfig),
  cachedContent: optional(text),
  labels: optional(jsonObject),
  /** Repeats the path. */
  model: optional(text),
});

export const looseGenerateContentSchema = z.looseObject(generateContentSchema.shape);

export type GenerateContentBody = z.output<typeof generateContentSchema>;
