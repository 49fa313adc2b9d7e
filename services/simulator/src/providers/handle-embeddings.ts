import { countInputs, type EmbeddingInput, vectorOf } from '../domain/embedding';
import type { Prompt } from '../domain/prompt';
import { NO_USAGE } from '../domain/usage';
import type { Call } from '../http/call';
import { handleMetered, type ParsedRequest, readJson, sendJsonReply } from './handle-call';
import type { ProviderProtocol } from './protocol';
import type { ProviderDeps } from './provider';

export interface EmbeddingRequest extends ParsedRequest {
  readonly inputs: readonly EmbeddingInput[];
  readonly dimensions: number;
  readonly base64: boolean;
}

/** What a reply is written from. */
export interface Embeddings {
  readonly model: string;
  readonly vectors: readonly (readonly number[] | string)[];
  readonly inputTokens: number;
}

/** Returns a request whose texts may contain a directive. */
export const embeddingRequest = (
  model: string,
  inputs: readonly EmbeddingInput[],
  dimensions: number,
  base64 = false,
): EmbeddingRequest => ({ model, stream: false, prompt: promptOf(inputs), inputs, dimensions, base64 });

/** Handles a call for embeddings. */
export function handleEmbeddings(
  call: Call,
  deps: ProviderDeps,
  protocol: ProviderProtocol,
  parse: (body: unknown) => EmbeddingRequest,
  toBody: (embeddings: Embeddings, id: string) => unknown,
): Promise<void> {
  const read = () => readJson(call, deps, protocol, parse);
  return handleMetered(call, deps, protocol, read, (exchange) => {
    const { request, directive, identity } = exchange;
    const { model, inputs, dimensions, base64 } = request;
    const inputTokens = directive.usage?.prompt_tokens ?? countInputs(inputs, deps.tokenizer);
    const vectors = inputs.map((input) => {
      const vector = vectorOf(input, dimensions);
      return base64 ? Buffer.from(vector.buffer).toString('base64') : Array.from(vector);
    });
    const usage = { ...NO_USAGE, promptTokens: inputTokens };
    const body = toBody({ model, vectors, inputTokens }, identity.id);
    return sendJsonReply(exchange, body, inputs.length, { usage });
  });
}

function promptOf(inputs: readonly EmbeddingInput[]): Prompt {
  const texts = inputs.filter((input) => typeof input === 'string');
  return {
    messages: [{ role: 'user', name: null, texts, otherParts: 0, signedParts: 0, toolCalls: [] }],
    tools: [],
  };
}
