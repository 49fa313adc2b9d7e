import OpenAI from 'openai';
import { zodTextFormat } from 'openai/helpers/zod';
import { z } from 'zod';
import type { Access, Answer, Client, Connection, Question } from './client';
import { openai } from './openai';

type Params = OpenAI.Responses.ResponseCreateParamsNonStreaming;
type Response = OpenAI.Responses.Response;

/** Far more than any test needs. */
const MAX_ROUNDS = 10;

/** The package returns a failed response as any other. */
class ResponseFailed extends Error {
  readonly code: string;

  constructor({ code, message }: { code: string; message: string }) {
    super(message);
    this.code = code;
  }
}

export const openaiResponses: Client = {
  ...openai,
  name: 'openai, responses',
  finish: { stop: 'completed', length: 'max_output_tokens' },
  drops: [],
  connect,
  failures: { ...openai.failures, 200: 'ResponseFailed' },
};

function connect({ apiUrl, apiKey, maxRetries }: Access): Connection {
  const client = new OpenAI({ apiKey, baseURL: `${apiUrl}/v1`, maxRetries });
  const respond = async (params: Params, isStreamed: boolean): Promise<Response> => {
    const response = isStreamed
      ? await lastOf(await client.responses.create({ ...params, stream: true }))
      : await client.responses.create(params);
    if (response.error) throw new ResponseFailed(response.error);
    return response;
  };
  return {
    ask: async (question) => answerOf(await respond(paramsOf(question), question.stream)),
    async askObject(question, schema) {
      const params = { ...paramsOf(question), text: { format: zodTextFormat(schema, 'reply') } };
      if (!question.stream) return (await client.responses.parse(params)).output_parsed;
      return (await client.responses.stream({ ...params, stream: true }).finalResponse()).output_parsed;
    },
    async runTools(question, { name, description, input, run }) {
      const parameters = z.toJSONSchema(input) as Record<string, unknown>;
      const tools = [{ type: 'function' as const, name, description, parameters, strict: false }];
      const params = { ...paramsOf(question), tools };
      const items = [...(params.input as OpenAI.Responses.ResponseInput)];
      for (let round = 0; round < MAX_ROUNDS; round++) {
        const response = await respond({ ...params, input: items }, question.stream);
        const calls = response.output.filter((item) => item.type === 'function_call');
        if (calls.length === 0) return answerOf(response);
        items.push(...(response.output as OpenAI.Responses.ResponseInput));
        for (const call of calls) {
          const output = run(JSON.parse(call.arguments));
          items.push({ type: 'function_call_output', call_id: call.call_id, output });
        }
      }
      throw new Error('the model never stops calling tools');
    },
    async leave(question, pieces) {
      const stream = await client.responses.create({ ...paramsOf(question), stream: true });
      let text = '';
      let seen = 0;
      for await (const event of stream) {
        if (event.type !== 'response.output_text.delta') continue;
        text += event.delta;
        if (++seen === pieces) break;
      }
      stream.controller.abort();
      return text;
    },
  };
}

/** Returns the response of the last event, after checking that the events are in order and repeat what it contains. */
async function lastOf(events: AsyncIterable<OpenAI.Responses.ResponseStreamEvent>): Promise<Response> {
  let last: Response | undefined;
  let sequence = 0;
  const done: OpenAI.Responses.ResponseOutputItem[] = [];
  for await (const event of events) {
    if (event.sequence_number !== sequence++) throw new Error(`event ${sequence - 1} is missing`);
    if (event.type === 'response.output_item.done') done[event.output_index] = event.item;
    if ('response' in event) last = event.response;
  }
  if (last?.status === 'completed' && JSON.stringify(last.output) !== JSON.stringify(done))
    throw new Error('the items of the events differ from those of the response');
  return { ...last!, output_text: textOf(last!) };
}

function paramsOf({ model, prompt, system, image, thinking, maxTokens, temperature }: Question): Params {
  const text = { type: 'input_text', text: prompt } as const;
  const shown = { type: 'input_image', image_url: `data:image/png;base64,${image}`, detail: 'auto' } as const;
  return {
    model,
    ...(system && { instructions: system }),
    input: [{ role: 'user', content: image ? [text, shown] : prompt }],
    include: ['reasoning.encrypted_content'],
    store: false,
    ...(thinking && { reasoning: { effort: 'high' } }),
    ...(maxTokens && { max_output_tokens: maxTokens }),
    ...(temperature !== undefined && { temperature }),
  };
}

function textOf({ output }: Response): string {
  const parts = output.flatMap((item) => (item.type === 'message' ? item.content : []));
  return parts.map((part) => (part.type === 'output_text' ? part.text : '')).join('');
}

function answerOf(response: Response): Answer {
  const { status, incomplete_details, output, usage } = response;
  const thoughts = output.flatMap((item) => (item.type === 'reasoning' ? item.summary : []));
  const { input_tokens, input_tokens_details, output_tokens, output_tokens_details } = usage!;
  return {
    text: textOf(response),
    thinking: thoughts.map(({ text }) => text).join(''),
    finish: incomplete_details?.reason ?? `${status}`,
    usage: {
      input: input_tokens,
      output: output_tokens,
      cacheRead: input_tokens_details.cached_tokens,
      cacheWrite: (input_tokens_details as { cache_write_tokens?: number }).cache_write_tokens!,
      reasoning: output_tokens_details.reasoning_tokens,
    },
  };
}
