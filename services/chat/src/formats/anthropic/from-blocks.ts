import {
  type AssistantPart,
  type AssistantTurn,
  type DocumentPart,
  type ImagePart,
  type MediaSource,
  type Signature,
  type SystemTurn,
  type TextPart,
  type ToolResultPart,
  type UserPart,
  type UserTurn,
  WEB_SEARCH,
} from '../../domain/conversation';
import { base64Source } from '../../domain/media-content';
import { readSignature } from '../../domain/signature-tag';
import { readCallSignature } from '../call-signature';
import { toCacheHint } from './cache-hint';
import type * as block from './content-block';
import type { ContentBlock } from './content-block';
import type { OnUnsupported } from './unsupported-content';

type Content = string | readonly ContentBlock[];
type ResultPart = ToolResultPart['parts'][number];

/** Returns the text of a content, without its other blocks. */
export function textPartsOf(content: Content): TextPart[] {
  if (typeof content === 'string') return [plainText(content)];
  return content.flatMap((each) => (each.type === 'text' ? [textPart(each)] : []));
}

/** Reads instructions in the middle of a conversation. */
export function fromSystemBlocks(content: Content, onUnsupported: OnUnsupported): SystemTurn {
  if (typeof content === 'string') return { role: 'system', parts: textPartsOf(content) };
  const parts = content.flatMap((each) =>
    each.type === 'text' ? [textPart(each)] : unsupportedBlockAsText(each, onUnsupported),
  );
  return { role: 'system', parts };
}

export function fromUserBlocks(content: Content, onUnsupported: OnUnsupported): UserTurn {
  if (typeof content === 'string') return { role: 'user', parts: textPartsOf(content) };
  const results: UserPart[] = [];
  const others: UserPart[] = [];
  for (const each of content) {
    if (each.type === 'tool_result') results.push(toolResultPart(each, onUnsupported));
    else others.push(...shownParts(each, onUnsupported));
  }
  return { role: 'user', parts: [...results, ...others] };
}

export function fromAssistantBlocks(content: Content, onUnsupported: OnUnsupported): AssistantTurn {
  if (typeof content === 'string') return { role: 'assistant', parts: textPartsOf(content) };
  const parts: AssistantPart[] = [];
  let nextCallSignature: Signature | undefined;
  for (const each of content) {
    if (isSearch(each)) continue;
    if (each.type === 'thinking') {
      const ofCall = readCallSignature(each.signature ?? '');
      if (!ofCall) parts.push(thinkingPart(each));
      else if (ofCall.callId === undefined) nextCallSignature = ofCall.signature;
      else signCall(parts, ofCall.callId, ofCall.signature);
    } else if (each.type === 'tool_use') {
      parts.push(toolCallPart(each, nextCallSignature));
      nextCallSignature = undefined;
    } else if (each.type === 'text') {
      parts.push(textPart(each));
    } else if (each.type === 'redacted_thinking') {
      parts.push({ kind: 'redacted_thinking', data: readSignature(each.data, 'anthropic') });
    } else {
      parts.push(...unsupportedBlockAsText(each, onUnsupported));
    }
  }
  return { role: 'assistant', parts };
}

function signCall(parts: AssistantPart[], id: string, signature: Signature): void {
  const at = parts.findLastIndex((part) => part.kind === 'tool_call' && part.id === id);
  const call = parts[at];
  if (call?.kind === 'tool_call') parts[at] = { ...call, signature };
}

function textPart({ text, cache_control }: block.TextBlock): TextPart {
  return { kind: 'text', text, cache: toCacheHint(cache_control) };
}

function plainText(text: string): TextPart {
  return { kind: 'text', text, cache: undefined };
}

/** A signature without a value marks a provider that does not sign, because the format requires one. */
function thinkingPart({ thinking, signature }: block.ThinkingBlock): AssistantPart {
  const read = signature ? readSignature(signature, 'anthropic') : undefined;
  return { kind: 'thinking', text: thinking, signature: read?.value ? read : undefined };
}

function toolCallPart(call: block.ToolUseBlock, signature: Signature | undefined): AssistantPart {
  return {
    kind: 'tool_call',
    id: call.id,
    name: call.name,
    arguments: JSON.stringify(call.input),
    signature,
    cache: toCacheHint(call.cache_control),
  };
}

function toolResultPart(result: block.ToolResultBlock, onUnsupported: OnUnsupported): ToolResultPart {
  const content = result.content ?? [];
  return {
    kind: 'tool_result',
    callId: result.tool_use_id,
    parts:
      typeof content === 'string'
        ? textPartsOf(content)
        : content.flatMap((each) => shownParts(each, onUnsupported)),
    isError: result.is_error ?? false,
    cache: toCacheHint(result.cache_control),
  };
}

/** Reads content of a user or a tool. */
function shownParts(each: ContentBlock, onUnsupported: OnUnsupported): ResultPart[] {
  switch (each.type) {
    case 'text':
      return [textPart(each)];
    case 'image':
      return [imagePart(each)];
    case 'document':
      if (each.citations?.enabled) onUnsupported('citations');
      return documentParts(each, onUnsupported);
    case 'search_result':
      if (each.citations?.enabled) onUnsupported('citations');
      return [searchResultPart(each)];
    case 'tool_reference':
      // Other formats define every tool at the start.
      return [plainText(each.tool_name)];
    default:
      return unsupportedBlockAsText(each, onUnsupported);
  }
}

function imagePart({ source, cache_control }: block.ImageBlock): ImagePart {
  const cache = toCacheHint(cache_control);
  return { kind: 'image', source: mediaSource(source), detail: undefined, cache };
}

function mediaSource(source: block.MediaSource): MediaSource {
  return source.type === 'url'
    ? { kind: 'url', url: source.url }
    : base64Source(source.media_type, source.data);
}

/** A document's context precedes it as text, because no other format has a field for it. */
function documentParts(document: block.DocumentBlock, onUnsupported: OnUnsupported): ResultPart[] {
  const { source, context } = document;
  const title = document.title || undefined;
  const cache = toCacheHint(document.cache_control);
  const about: ResultPart[] = context ? [plainText(context)] : [];
  if (source.type === 'text') {
    return [...about, { kind: 'document', source: { kind: 'text', text: source.data }, title, cache }];
  }
  if (source.type !== 'content') {
    return [...about, { kind: 'document', source: mediaSource(source), title, cache }];
  }
  const { content } = source;
  const pieces =
    typeof content === 'string'
      ? textPartsOf(content)
      : content.flatMap((each) => shownParts(each, onUnsupported));
  // On every piece, the title would be sent and billed once per piece.
  const titled = pieces.findIndex(({ kind }) => kind === 'text');
  const documents = pieces.map((piece, i) =>
    piece.kind === 'text' ? textDocument(piece, i === titled ? title : undefined) : piece,
  );
  return [...about, ...documents];
}

function textDocument({ text, cache }: TextPart, title: string | undefined): DocumentPart {
  return { kind: 'document', source: { kind: 'text', text }, title, cache };
}

function searchResultPart(result: block.SearchResultBlock): TextPart {
  const text = textPartsOf(result.content).map((part) => part.text);
  return {
    kind: 'text',
    text: [result.title, result.source, '', ...text].join('\n'),
    cache: toCacheHint(result.cache_control),
  };
}

/** The model has read what it found: its answer follows. */
const isSearch = (each: ContentBlock): boolean =>
  each.type === 'web_search_tool_result' ||
  (each.type === 'server_tool_use' && (each as { name?: unknown }).name === WEB_SEARCH);

function unsupportedBlockAsText(each: ContentBlock, onUnsupported: OnUnsupported): TextPart[] {
  onUnsupported(`a ${each.type} block`);
  return [plainText(JSON.stringify(each))];
}
