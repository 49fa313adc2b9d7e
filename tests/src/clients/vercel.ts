import {
  APICallError,
  generateText,
  isStepCount,
  type LanguageModel,
  Output,
  StreamProviderError,
  streamText,
  tool,
} from 'ai';
import type { Access, Answer, Client, Connection, Question } from './client';

/** Far beyond what any cell needs. */
const MAX_STEPS = 10;

interface Settled {
  readonly text: string;
  readonly reasoningText: string | undefined;
  readonly finishReason: string;
  readonly usage: Awaited<ReturnType<typeof generateText>>['usage'];
}

/** What clients of the `ai` package have in common, whatever provider they talk to. */
export const vercel = {
  finish: { stop: 'stop', length: 'length' },
  readFailure(thrown) {
    const error = thrown as Error & { lastError?: unknown };
    const call = error.lastError ?? error;
    if (StreamProviderError.isInstance(call))
      return { name: call.name, status: call.statusCode, code: `${call.code}` };
    if (!APICallError.isInstance(call)) return { name: error.name, status: undefined, code: undefined };
    const { code } = (JSON.parse(call.responseBody!) as { error: { code: string } }).error;
    return { name: call.name, status: call.statusCode, code };
  },
  repeats: ({ status }) => status === 429 || status >= 500,
  failures: {
    200: 'AI_StreamProviderError',
    400: 'AI_APICallError',
    401: 'AI_APICallError',
    402: 'AI_APICallError',
    404: 'AI_APICallError',
    429: 'AI_APICallError',
    502: 'AI_APICallError',
  },
} satisfies Partial<Client>;

/** @param modelOf the provider's model of that name, as its package makes it */
export function connectVercel(
  tells: Client['tells'],
  { maxRetries }: Access,
  modelOf: (id: string) => LanguageModel,
): Connection {
  const settings = (question: Question) => ({
    ...settingsOf(question),
    model: modelOf(question.model),
    maxRetries,
  });
  return {
    async ask(question) {
      if (!question.stream) return answerOf(await generateText(settings(question)), tells);
      return answerOf(await streamed(streamText({ ...settings(question), onError() {} })), tells);
    },
    async askObject(question, schema) {
      const params = { ...settings(question), output: Output.object({ schema }) };
      if (!question.stream) return (await generateText(params)).output;
      const result = streamText({ ...params, onError() {} });
      let last: unknown;
      for await (const partial of result.partialOutputStream) last = partial;
      const output = await result.output;
      if (JSON.stringify(output) !== JSON.stringify(last)) throw new Error('the parts are not the whole');
      return output;
    },
    async runTools(question, { name, description, input, run }) {
      const tools = { [name]: tool({ description, inputSchema: input, execute: run }) };
      const params = { ...settings(question), tools, stopWhen: isStepCount(MAX_STEPS) };
      if (!question.stream) return answerOf(await generateText(params), tells);
      return answerOf(await streamed(streamText({ ...params, onError() {} })), tells);
    },
    async leave(question, pieces) {
      const leaving = new AbortController();
      const params = { ...settings(question), abortSignal: leaving.signal };
      let text = '';
      let seen = 0;
      for await (const piece of streamText(params).textStream) {
        text += piece;
        if (++seen === pieces) leaving.abort();
      }
      return text;
    },
  };
}

type Streamed = { readonly stream: AsyncIterable<{ readonly type: string }> } & {
  readonly [K in keyof Settled]: PromiseLike<Settled[K]>;
};

/** Reads a stream to its end; throws what broke it. */
async function streamed(result: Streamed): Promise<Settled> {
  for await (const part of result.stream) if ('error' in part) throw part.error;
  const { text, reasoningText, finishReason, usage } = result;
  return {
    text: await text,
    reasoningText: await reasoningText,
    finishReason: await finishReason,
    usage: await usage,
  };
}

function settingsOf({ prompt, system, image, thinking, maxTokens, temperature }: Question) {
  const shown = image && { type: 'file' as const, mediaType: 'image/png', data: image };
  return {
    messages: [
      {
        role: 'user' as const,
        content: [{ type: 'text' as const, text: prompt }, ...(shown ? [shown] : [])],
      },
    ],
    ...(system && { instructions: system }),
    ...(thinking && { reasoning: 'high' as const }),
    ...(maxTokens && { maxOutputTokens: maxTokens }),
    ...(temperature !== undefined && { temperature }),
  };
}

function answerOf({ text, reasoningText, finishReason, usage }: Settled, tells: Client['tells']): Answer {
  const { cacheReadTokens, cacheWriteTokens } = usage.inputTokenDetails;
  return {
    text,
    thinking: reasoningText ?? '',
    finish: finishReason,
    usage: {
      input: usage.inputTokens!,
      output: usage.outputTokens!,
      ...(tells.includes('cacheRead') && { cacheRead: cacheReadTokens! }),
      ...(tells.includes('cacheWrite') && { cacheWrite: cacheWriteTokens! }),
      ...(tells.includes('reasoning') && { reasoning: usage.outputTokenDetails.reasoningTokens! }),
    },
  };
}
