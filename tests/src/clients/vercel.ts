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

/** Far more than any test needs. */
const MAX_STEPS = 10;

interface Settled {
  readonly text: string;
  readonly reasoningText: string | undefined;
  readonly finishReason: string;
  readonly usage: Awaited<ReturnType<typeof generateText>>['usage'];
}

/** The parts that clients of the `ai` package share, for any provider. */
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
  retries: ({ status }) => status === 429 || status >= 500,
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

/**
 * @param modelOf returns the provider's model of that name
 * @param providerOptions of every call
 */
export function connectVercel(
  reports: Client['reports'],
  { maxRetries }: Access,
  modelOf: (id: string) => LanguageModel,
  providerOptions?: Parameters<typeof generateText>[0]['providerOptions'],
): Connection {
  const settings = (question: Question) => ({
    ...settingsOf(question),
    model: modelOf(question.model),
    maxRetries,
    ...(providerOptions && { providerOptions }),
  });
  return {
    async ask(question) {
      if (!question.stream) return answerOf(await generateText(settings(question)), reports);
      return answerOf(await streamed(streamText({ ...settings(question), onError() {} })), reports);
    },
    async askObject(question, schema) {
      const params = { ...settings(question), output: Output.object({ schema }) };
      if (!question.stream) return (await generateText(params)).output;
      const result = streamText({ ...params, onError() {} });
      let last: unknown;
      for await (const partial of result.partialOutputStream) last = partial;
      const output = await result.output;
      if (JSON.stringify(output) !== JSON.stringify(last))
        throw new Error('the last partial object differs from the output');
      return output;
    },
    async runTools(question, { name, description, input, run }) {
      const tools = { [name]: tool({ description, inputSchema: input, execute: run }) };
      const params = { ...settings(question), tools, stopWhen: isStepCount(MAX_STEPS) };
      if (!question.stream) return answerOf(await generateText(params), reports);
      return answerOf(await streamed(streamText({ ...params, onError() {} })), reports);
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

/** Reads a stream to its end; throws its error. */
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

function answerOf({ text, reasoningText, finishReason, usage }: Settled, reports: Client['reports']): Answer {
  const { cacheReadTokens, cacheWriteTokens } = usage.inputTokenDetails;
  return {
    text,
    thinking: reasoningText ?? '',
    finish: finishReason,
    usage: {
      input: usage.inputTokens!,
      output: usage.outputTokens!,
      ...(reports.includes('cacheRead') && { cacheRead: cacheReadTokens! }),
      ...(reports.includes('cacheWrite') && { cacheWrite: cacheWriteTokens! }),
      ...(reports.includes('reasoning') && { reasoning: usage.outputTokenDetails.reasoningTokens! }),
    },
  };
}
