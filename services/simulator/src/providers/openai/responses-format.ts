import type { Piece, Reply } from '../../domain/reply';
import { sign } from '../../domain/signer';
import type { Usage } from '../../domain/usage';
import type { StreamFrames } from '../../http/write-stream';
import type { ReplyContext } from '../chat-protocol';
import type { Json } from '../json';
import type { ResponsesRequest } from './responses-request';

type Context = ReplyContext<ResponsesRequest>;

/** Consecutive pieces of one item of the output. */
interface Block {
  readonly kind: Piece['kind'];
  /** Index of its first piece. */
  readonly start: number;
  text: string;
  /** Of a tool. */
  readonly name: string;
}

export function toResponse(context: Context): Json {
  const { reply } = context;
  const { finishReason } = reply;
  const reason =
    finishReason === 'length'
      ? 'max_output_tokens'
      : finishReason === 'content_filter'
        ? 'content_filter'
        : undefined;
  return {
    ...headOf(context, reason ? 'incomplete' : 'completed'),
    incomplete_details: reason ? { reason } : null,
    output: outputOf(context),
    usage: toUsage(context.usage, context.request),
  };
}

/** Returns the messages of the user, and an item that stands for the rest. */
export function toCompaction({ identity, request, usage }: Context): Json {
  const { input } = request.body;
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : (input as Json[]);
  const messages = items
    .filter(({ type, role }) => (type === undefined || type === 'message') && role === 'user')
    .map((item, index) => ({
      ...{ id: `msg_${identity.id}${index}`, type: 'message', status: 'completed', ...item },
      content: typeof item.content === 'string' ? [{ type: 'input_text', text: item.content }] : item.content,
    }));
  const id = `cmp_${identity.id}${messages.length}`;
  return {
    ...{ id: `resp_${identity.id}`, object: 'response.compaction', created_at: identity.createdSeconds },
    output: [...messages, { id, type: 'compaction', encrypted_content: sign('compaction', id) }],
    usage: toUsage(usage, request),
  };
}

/** Returns the typed events of a response. The searches precede the other items. */
export function toResponseFrames(context: Context): StreamFrames {
  const { reply } = context;
  let sequence = 0;
  const event = (type: string, members: Json): string =>
    `event: response.${type}\ndata: ${JSON.stringify({ type: `response.${type}`, sequence_number: sequence++, ...members })}\n\n`;
  const blocks = blocksOf(reply);
  const first = reply.searches.length;
  const itemAt = (index: number) => outputOf(context)[index] as Json;
  const open = (index: number, item: Json) =>
    event('output_item.added', { output_index: index, item }) +
    (item.type === 'message'
      ? event('content_part.added', { ...placeOf(item, index), content_index: 0, part: textPart('', []) })
      : item.type === 'reasoning' && !reply.thinkingHidden
        ? event('reasoning_summary_part.added', {
            ...placeOf(item, index),
            ...{ summary_index: 0, part: { type: 'summary_text', text: '' } },
          })
        : '');
  const close = (index: number): string => {
    const item = itemAt(index);
    return doneEvents(item, index, event) + event('output_item.done', { output_index: index, item });
  };
  const search = (index: number): string => {
    const item = itemAt(index);
    const place = placeOf(item, index);
    const states = ['in_progress', 'searching', 'completed'].map((name) =>
      event(`web_search_call.${name}`, place),
    );
    return open(index, { ...item, status: 'in_progress' }) + states.join('') + close(index);
  };
  const begun = headOf(context, 'in_progress');
  if (context.request.compacts)
    return {
      head: event('created', { response: begun }) + event('in_progress', { response: begun }),
      count: reply.pieces.length,
      piece: () => '',
      get tail() {
        return open(0, itemAt(0)) + close(0) + event('completed', { response: toResponse(context) });
      },
    };
  const head =
    event('created', { response: begun }) +
    event('in_progress', { response: begun }) +
    reply.searches.map((_, index) => search(index)).join('');
  return {
    head,
    count: reply.pieces.length,
    piece(i) {
      const at = blocks.findLastIndex(({ start }) => start <= i);
      const block = blocks[at]!;
      const index = first + at;
      const opened =
        block.start === i ? (at === 0 ? '' : close(index - 1)) + open(index, emptied(itemAt(index))) : '';
      const piece = reply.pieces[i]!;
      const item = itemAt(index);
      const place = { item_id: item.id, output_index: index };
      if (piece.kind === 'text')
        return (
          opened + event('output_text.delta', { ...place, content_index: 0, delta: piece.text, logprobs: [] })
        );
      if (piece.kind === 'thinking')
        return reply.thinkingHidden
          ? opened
          : opened + event('reasoning_summary_text.delta', { ...place, summary_index: 0, delta: piece.text });
      if (piece.kind === 'tool_name') return opened;
      const type = item.type === 'custom_tool_call' ? 'custom_tool_call_input' : 'function_call_arguments';
      return opened + event(`${type}.delta`, { ...place, delta: piece.text });
    },
    get tail() {
      const last = blocks.length === 0 ? '' : close(first + blocks.length - 1);
      const response = toResponse(context);
      return last + event(String(response.status), { response });
    },
  };
}

function doneEvents(item: Json, index: number, event: (type: string, members: Json) => string): string {
  const place = placeOf(item, index);
  switch (item.type) {
    case 'message': {
      const [part] = item.content as Json[];
      const { text, annotations } = part as { text: string; annotations: unknown[] };
      const at = { ...place, content_index: 0 };
      return (
        annotations
          .map((annotation, annotation_index) =>
            event('output_text.annotation.added', { ...at, annotation_index, annotation }),
          )
          .join('') +
        event('output_text.done', { ...at, text, logprobs: [] }) +
        event('content_part.done', { ...at, part })
      );
    }
    case 'reasoning': {
      const [part] = item.summary as Json[];
      if (!part) return '';
      const at = { ...place, summary_index: 0 };
      return (
        event('reasoning_summary_text.done', { ...at, text: part.text }) +
        event('reasoning_summary_part.done', { ...at, part })
      );
    }
    case 'function_call':
      return event('function_call_arguments.done', { ...place, name: item.name, arguments: item.arguments });
    case 'custom_tool_call':
      return event('custom_tool_call_input.done', { ...place, input: item.input });
    default:
      return '';
  }
}

const placeOf = ({ id }: Json, index: number): Json => ({ item_id: id, output_index: index });

/** An item as its stream begins it. */
function emptied(item: Json): Json {
  if (item.type === 'message') return { ...item, status: 'in_progress', content: [] };
  if (item.type === 'reasoning') return { ...item, summary: [], encrypted_content: undefined };
  return item.type === 'custom_tool_call'
    ? { ...item, input: '' }
    : { ...item, status: 'in_progress', arguments: '' };
}

function blocksOf({ pieces }: Reply): Block[] {
  const blocks: Block[] = [];
  for (const [start, { kind, text }] of pieces.entries()) {
    if (kind === 'tool_arguments') blocks.at(-1)!.text += text;
    else if (kind === 'tool_name') blocks.push({ kind, start, text: '', name: text });
    else if (blocks.at(-1)?.kind === kind) blocks.at(-1)!.text += text;
    else blocks.push({ kind, start, text, name: '' });
  }
  return blocks;
}

const OUTPUTS = new WeakMap<Context, readonly Json[]>();

function outputOf(context: Context): readonly Json[] {
  const known = OUTPUTS.get(context) ?? makeOutput(context);
  OUTPUTS.set(context, known);
  return known;
}

function makeOutput({ identity, request, reply }: Context): Json[] {
  const idOf = (prefix: string, index: number) => `${prefix}_${identity.id}${index}`;
  if (request.compacts) {
    const id = idOf('cmp', 0);
    return [{ id, type: 'compaction', encrypted_content: sign('compaction', id) }];
  }
  const searches = reply.searches.map((query, index) => ({
    id: idOf('ws', index),
    ...{ type: 'web_search_call', status: 'completed' },
    action: {
      ...{ type: 'search', query, queries: [query] },
      ...(request.returnsSources && { sources: [{ type: 'url', url: pageOf(query) }] }),
    },
  }));
  const blocks = blocksOf(reply).map((block, at) => {
    const index = searches.length + at;
    if (block.kind === 'thinking') return toReasoning(idOf('rs', index), block, request, reply);
    if (block.kind === 'text') {
      const content = [
        textPart(
          block.text,
          reply.searches.map((query) => toCitation(query, block.text)),
        ),
      ];
      return { id: idOf('msg', index), type: 'message', status: 'completed', role: 'assistant', content };
    }
    const tool = request.tools.get(block.name);
    const call = {
      call_id: `call_${identity.id.slice(-20)}${index}`,
      name: block.name,
      ...(tool?.namespace && { namespace: tool.namespace }),
    };
    return tool?.isCustom
      ? { id: idOf('ctc', index), type: 'custom_tool_call', ...call, input: block.text }
      : {
          ...{ id: idOf('fc', index), type: 'function_call', status: 'completed' },
          ...{ ...call, arguments: block.text },
        };
  });
  return [...searches, ...blocks];
}

function toReasoning(id: string, { text }: Block, request: ResponsesRequest, reply: Reply): Json {
  return {
    ...{ id, type: 'reasoning' },
    summary: reply.thinkingHidden ? [] : [{ type: 'summary_text', text }],
    ...(request.includesEncrypted && { encrypted_content: sign('reasoning', id) }),
  };
}

const textPart = (text: string, annotations: readonly Json[]): Json => ({
  ...{ type: 'output_text', text, annotations, logprobs: [] },
});

const pageOf = (query: string): string => `https://search.example/${encodeURIComponent(query)}`;

const toCitation = (query: string, { length }: string): Json => ({
  ...{ type: 'url_citation', start_index: 0, end_index: length, url: pageOf(query), title: `About ${query}` },
});

/** A response without its output. */
function headOf({ identity, request }: Context, status: string): Json {
  const { body } = request;
  return {
    ...{ id: `resp_${identity.id}`, object: 'response', created_at: identity.createdSeconds },
    completed_at: status === 'in_progress' ? null : identity.createdSeconds,
    ...{ status, background: false, billing: { payer: 'developer' }, error: null, incomplete_details: null },
    access_programs: null,
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    max_tool_calls: body.max_tool_calls ?? null,
    model: request.model,
    output: [],
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    previous_response_id: null,
    prompt_cache_key: body.prompt_cache_key ?? null,
    reasoning: { effort: null, summary: null, ...(body.reasoning as object | undefined) },
    safety_identifier: body.safety_identifier ?? null,
    service_tier: request.serviceTier,
    store: body.store ?? true,
    temperature: body.temperature ?? 1,
    text: { format: { type: 'text' }, verbosity: 'medium', ...(body.text as object | undefined) },
    tool_choice: body.tool_choice ?? 'auto',
    tools: body.tools ?? [],
    top_logprobs: 0,
    top_p: body.top_p ?? 1,
    truncation: body.truncation ?? 'disabled',
    usage: null,
    user: body.user ?? null,
    metadata: body.metadata ?? {},
  };
}

function toUsage(usage: Usage, { body }: ResponsesRequest): Json {
  return {
    input_tokens: usage.promptTokens,
    input_tokens_details: { cached_tokens: usage.cachedTokens, cache_write_tokens: usage.cacheWriteTokens },
    output_tokens: usage.completionTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    total_tokens: usage.promptTokens + usage.completionTokens,
    ...('max_turns' in body && { cost_in_usd_ticks: 1 }),
  };
}
