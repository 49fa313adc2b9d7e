import { GatewayError } from '@gateway/errors';
import type { EmbeddingProtocol, EmbeddingRequest, WriteEmbeddings } from '../domain/embedding';
import { boundTokens, countTokens, estimateTokens } from '../domain/embedding-size';
import { MAX_REPLY_BYTES } from '../domain/reply-memory';
import { NO_USAGE } from '../domain/usage';
import type { Vector } from '../domain/vector';
import type { WholeReplyCall, WholeReplyProtocol } from '../domain/whole-reply-call';
import { writeEmbeddings } from '../formats/openai/embeddings-reply';
import { parseWithoutNumbers, type WithoutNumbers } from '../json/number-lists';

/** Returns a call for embeddings. @param write writes the reply in the caller's format */
export const embeddingCall = (
  request: EmbeddingRequest,
  write: WriteEmbeddings = writeEmbeddings,
): WholeReplyCall => ({
  model: request.model,
  output: 'embedding',
  protocolOf: ({ embeddings }) => embeddings && protocolOf(request, embeddings, write),
  boundUsage: ({ contextLength }) => ({ ...NO_USAGE, input: boundTokens(request.inputs, contextLength) }),
  estimateTokens: (encoding) => estimateTokens(request.inputs, encoding),
  countUsage: ({ contextLength }) => ({ ...NO_USAGE, input: countTokens(request.inputs, contextLength) }),
});

const protocolOf = (
  request: EmbeddingRequest,
  embeddings: EmbeddingProtocol,
  write: WriteEmbeddings,
): WholeReplyProtocol => ({
  address: (upstreamModel) => embeddings.address(upstreamModel),
  writeRequest(upstreamModel) {
    refuseLargeReply(request, embeddings);
    return embeddings.writeRequest(request, upstreamModel);
  },
  async readReply(bytes, { slug, contextLength }) {
    const parsed = parseWithoutNumbers(bytes);
    const { vectors, inputTokens: reported } = embeddings.readReply(parsed.value, vectorsOf(parsed));
    const { inputs, encoding } = request;
    if (vectors.length !== inputs.list.length) throw new Error('reply has another number of vectors');
    // No input is empty, so zero is no figure.
    const inputTokens = reported || countTokens(inputs, contextLength);
    return {
      usage: { ...NO_USAGE, input: inputTokens },
      source: reported ? 'provider' : 'counted',
      body: await write({ model: slug, vectors, encoding, inputTokens }),
    };
  },
});

/** Of a model whose dimensions are not known: no common model has more. */
const MOST_DIMENSIONS = 4_096;
/** What a float32 takes on average, with its comma, if it is written with the digits of a double: seldom more than 21.5. */
const JSON_BYTES = 22;
const BASE64_BYTES = 16 / 3;
const ENTRY_BYTES = 64;

/** A reply that is larger than its maximum would be paid for nothing. */
function refuseLargeReply(
  { inputs, dimensions = MOST_DIMENSIONS, encoding }: EmbeddingRequest,
  { returnsBase64 = false }: EmbeddingProtocol,
): void {
  const floatBytes = encoding === 'base64' && returnsBase64 ? BASE64_BYTES : JSON_BYTES;
  const mostInputs = Math.floor(MAX_REPLY_BYTES / (dimensions * floatBytes + ENTRY_BYTES));
  if (inputs.list.length <= mostInputs) return;
  const hint = encoding === 'float' && returnsBase64 ? ', or more with encoding_format base64' : '';
  throw new GatewayError('invalid_request', {
    detail: `input: the reply is too large; send at most ${mostInputs} inputs${hint}`,
  });
}

/** Returns how the vectors of a reply are read. */
const vectorsOf =
  ({ lists }: WithoutNumbers) =>
  (value: unknown): Vector => {
    if (typeof value === 'string') return { base64: value };
    const json = Array.isArray(value) ? lists[value[0]] : undefined;
    if (!json) throw new Error('reply does not match its format');
    return { json };
  };
