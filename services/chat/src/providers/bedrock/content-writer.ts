import { createHash } from 'node:crypto';
import { GatewayError } from '@gateway/errors';
import type {
  Block,
  Cacheable,
  DocumentBlock,
  ImageBlock,
  InputBlock,
  ToolResultBlock,
  WireMessage,
} from '../anthropic/messages-body';
import type {
  CachePoint,
  ContentBlock,
  ConverseMessage,
  InputContent,
  ToolResultContent,
} from './converse-body';
import type { ModelFamily } from './model-family';

/** Converse requires a text beside a document. */
const SEE_DOCUMENT = { text: 'See the document.' };
const NO_OUTPUT = { text: '(no output)' };
/** The ids that Mistral's models accept. */
const MISTRAL_ID = /^[a-zA-Z0-9]{9}$/;

/**
 * Writes messages of Anthropic's format as Converse's, which has the same rules and other names: bytes only, and text documents
 * as text, because Bedrock would extract their text anyway and refuses a cache point right after them (aws-sdk-java-v2#6277).
 */
export class ContentWriter {
  readonly #family: ModelFamily;
  #documents = 0;

  constructor(family: ModelFamily) {
    this.#family = family;
  }

  /** @throws GatewayError `invalid_request` for images and documents by URL */
  writeMessage({ role, content }: WireMessage): ConverseMessage {
    const written = content.flatMap((block) => [...this.#writeBlock(block), ...this.cachePointAfter(block)]);
    const needsText =
      written.some((block) => 'document' in block) && !written.some((block) => 'text' in block);
    return { role, content: needsText ? [...written, SEE_DOCUMENT] : written };
  }

  /** Returns the cache point after a block that ends a prefix; none for models without such points. */
  cachePointAfter(block: Block): CachePoint[] {
    const { ttl } = markOf(block) ?? {};
    if (!markOf(block)) return [];
    // Nova's caches have one lifetime (Bedrock User Guide, "Prompt caching").
    if (this.#family === 'nova') return [{ cachePoint: { type: 'default' } }];
    return this.#family === 'claude' ? [{ cachePoint: { type: 'default', ttl } }] : [];
  }

  #writeBlock(block: Block): ContentBlock[] {
    switch (block.type) {
      case 'text':
      case 'image':
      case 'document':
        return this.#writeInput(block);
      case 'thinking': {
        const { thinking: text, signature } = block;
        return [{ reasoningContent: { reasoningText: { text, signature } } }];
      }
      case 'redacted_thinking':
        return [{ reasoningContent: { redactedContent: block.data } }];
      case 'tool_use': {
        const { id, name, input } = block;
        return [{ toolUse: { toolUseId: this.#toolId(id), name, input } }];
      }
      case 'tool_result':
        return [this.#writeResult(block)];
    }
  }

  #writeResult({ tool_use_id: id, content = [], is_error: isError }: ToolResultBlock): ToolResultContent {
    const written = content.flatMap((block) => this.#writeInput(block));
    // Other models refuse a status.
    const hasStatus = this.#family === 'claude' || this.#family === 'nova';
    return {
      toolResult: {
        toolUseId: this.#toolId(id),
        content: written.length > 0 ? written : [NO_OUTPUT],
        status: isError && hasStatus ? 'error' : undefined,
      },
    };
  }

  #writeInput(block: InputBlock): InputContent[] {
    if (block.type === 'text') return [{ text: block.text }];
    return block.type === 'image' ? [writeImage(block)] : this.#writeDocument(block);
  }

  /** Names are generated: they must differ in a request, and few characters are allowed in them. */
  #writeDocument({ source, title }: DocumentBlock): InputContent[] {
    if (source.type === 'url') throw refused('documents by URL are not supported by this model');
    if (source.type === 'text') return [{ text: title ? `${title}\n\n${source.data}` : source.data }];
    const name = `document-${++this.#documents}`;
    const document = { document: { format: 'pdf', name, source: { bytes: source.data } } } as const;
    return title ? [{ text: `${name}: ${title}` }, document] : [document];
  }

  #toolId(id: string): string {
    if (this.#family !== 'mistral' || MISTRAL_ID.test(id)) return id;
    return createHash('sha256').update(id).digest('hex').slice(0, 9);
  }
}

function writeImage({ source }: ImageBlock): InputContent {
  if (source.type === 'url') throw refused('images by URL are not supported by this model');
  const format = source.media_type.slice('image/'.length);
  return { image: { format, source: { bytes: source.data } } };
}

/** Within a result Converse has no cache points, so the point is after it. */
function markOf(block: Block): Cacheable['cache_control'] {
  if (block.type === 'thinking' || block.type === 'redacted_thinking') return undefined;
  if (block.type !== 'tool_result') return block.cache_control;
  return block.cache_control ?? block.content?.find((inner) => inner.cache_control)?.cache_control;
}

function refused(detail: string): GatewayError {
  return new GatewayError('invalid_request', { detail });
}
