import {
  type ApiError,
  type Content,
  type FunctionDeclaration,
  type GenerateContentParameters,
  type GenerateContentResponse,
  GoogleGenAI,
  type Part,
} from '@google/genai';
import { z } from 'zod';
import type { Access, Answer, Client, Connection, Question } from './client';

/** The package finds Node's HTTP client by this symbol, which Jest's sandbox hides; `fetch` leads out of the sandbox. */
const DISPATCHER = Symbol.for('undici.globalDispatcher.1');
new Headers();
const outside = fetch.constructor('return globalThis')() as Record<symbol, unknown>;
Object.assign(globalThis, { [DISPATCHER]: outside[DISPATCHER] });

/** Far more than any test needs. */
const MAX_ROUNDS = 10;

export const googleGenAi: Client = {
  name: '@google/genai',
  finish: { stop: 'STOP', length: 'MAX_TOKENS' },
  reports: ['cacheRead', 'reasoning'],
  connect,
  readFailure(thrown) {
    const { name, status, message } = thrown as ApiError;
    const { error } = JSON.parse(message.slice(message.indexOf('{')));
    // An error within a stream has the status in `code`.
    return { name, status, code: typeof error.code === 'number' ? error.status : error.code };
  },
  brokenStatus: 502,
  // It retries only if its user asks for that.
  retries: () => false,
  failures: {
    200: 'ApiError',
    400: 'ApiError',
    401: 'ApiError',
    402: 'ApiError',
    404: 'ApiError',
    429: 'ApiError',
    502: 'ApiError',
  },
};

function connect({ apiUrl, apiKey }: Access): Connection {
  const { models } = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: apiUrl } });
  const generate = (params: GenerateContentParameters, isStreamed: boolean) =>
    isStreamed
      ? collected(models.generateContentStream(params))
      : models.generateContent(params).then(readReply);
  return {
    ask: async (question) => answerOf(await generate(paramsOf(question), question.stream)),
    async askObject(question, schema) {
      const params = paramsOf(question);
      params.config = {
        ...params.config,
        responseMimeType: 'application/json',
        responseJsonSchema: z.toJSONSchema(schema),
      };
      return JSON.parse(answerOf(await generate(params, question.stream)).text);
    },
    async runTools(question, { name, description, input, run }) {
      const declaration: FunctionDeclaration = {
        name,
        description,
        parametersJsonSchema: z.toJSONSchema(input),
      };
      const params = paramsOf(question);
      params.config = { ...params.config, tools: [{ functionDeclarations: [declaration] }] };
      const contents = params.contents as Content[];
      for (let round = 0; round < MAX_ROUNDS; round++) {
        const reply = await generate(params, question.stream);
        const calls = reply.parts.flatMap(({ functionCall }) => functionCall ?? []);
        if (calls.length === 0) return answerOf(reply);
        contents.push({ role: 'model', parts: [...reply.parts] });
        const parts = calls.map(({ id, name: called, args }) => ({
          functionResponse: { ...(id && { id }), name: called!, response: { output: run(args) } },
        }));
        contents.push({ role: 'user', parts });
      }
      throw new Error('the model never stops calling tools');
    },
    async leave(question, pieces) {
      const leaving = new AbortController();
      const params = paramsOf(question);
      params.config = { ...params.config, abortSignal: leaving.signal };
      let text = '';
      let seen = 0;
      try {
        for await (const chunk of await models.generateContentStream(params)) {
          if (!chunk.text) continue;
          text += chunk.text;
          if (++seen === pieces) leaving.abort();
        }
      } catch (error) {
        if (!leaving.signal.aborted) throw error;
      }
      return text;
    },
  };
}

interface Reply {
  readonly parts: readonly Part[];
  readonly finish: string;
  readonly usage: GenerateContentResponse['usageMetadata'];
}

function readReply({ candidates, usageMetadata }: GenerateContentResponse): Reply {
  const [candidate] = candidates ?? [];
  const parts = candidate?.content?.parts ?? [];
  return { parts, finish: `${candidate?.finishReason}`, usage: usageMetadata };
}

async function collected(chunks: Promise<AsyncGenerator<GenerateContentResponse>>): Promise<Reply> {
  const parts: Part[] = [];
  let finish = '';
  let usage: Reply['usage'];
  for await (const chunk of await chunks) {
    const reply = readReply(chunk);
    parts.push(...reply.parts);
    if (chunk.candidates?.[0]?.finishReason) finish = reply.finish;
    usage = reply.usage ?? usage;
  }
  return { parts, finish, usage };
}

function paramsOf({
  model,
  prompt,
  system,
  image,
  thinking,
  maxTokens,
  temperature,
}: Question): GenerateContentParameters {
  const shown = image === undefined ? [] : [{ inlineData: { mimeType: 'image/png', data: image } }];
  return {
    model,
    contents: [{ role: 'user', parts: [{ text: prompt }, ...shown] }],
    config: {
      ...(system && { systemInstruction: system }),
      ...(thinking && { thinkingConfig: { includeThoughts: true, thinkingBudget: 8_000 } }),
      ...(maxTokens && { maxOutputTokens: maxTokens }),
      ...(temperature !== undefined && { temperature }),
    },
  };
}

function answerOf({ parts, finish, usage }: Reply): Answer {
  const join = (ofThought: boolean) =>
    parts.map(({ text, thought }) => (Boolean(thought) === ofThought ? (text ?? '') : '')).join('');
  const { promptTokenCount = 0, candidatesTokenCount = 0, thoughtsTokenCount = 0 } = usage ?? {};
  return {
    text: join(false),
    thinking: join(true),
    finish,
    usage: {
      input: promptTokenCount,
      output: candidatesTokenCount + thoughtsTokenCount,
      cacheRead: usage?.cachedContentTokenCount ?? 0,
      reasoning: thoughtsTokenCount,
    },
  };
}
