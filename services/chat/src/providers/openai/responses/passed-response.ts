import { type JsonObject, listOf, membersOf, textOf } from '@gateway/upstream';
import type { PassedReply } from '../../../domain/chat-provider';
import { withoutOperatorsCosts } from '../../../domain/operators-costs';
import { ENCRYPTED_REASONING, responseId, withDefaults } from '../../../domain/response-members';
import { generatedToolId } from '../../../domain/tool-ids';
import { sealed } from './encrypted-reasoning';
import { argumentsOf } from './read-response';

/** Names of what a provider reports and its operator alone pays for or knows. */
const OPERATORS_MEMBERS = ['billing', 'conversation'];
/** Members that OpenAI sends as null, although its document has no null for them. */
const OMITTED_NULLS = ['usage', 'user'];
const ID_PREFIX = /^[a-z]+(?=_)/;

/**
 * Shows a provider's response to the caller: under our id, so that a later call finds it here, with the ids of its items in
 * the form by which a stored response is found, and without what concerns the operator alone.
 */
export class PassedResponse {
  readonly #to: PassedReply;
  readonly #account: string;
  readonly #keepsEncrypted: boolean;

  /** @param account to which encrypted content is tied */
  constructor(to: PassedReply, account: string) {
    this.#to = to;
    this.#account = account;
    const { include } = to.request.parsed;
    this.#keepsEncrypted = listOf(include).includes(ENCRYPTED_REASONING);
  }

  /** Returns the id of an item. @param id the provider's */
  itemId(id: string, index: number): string {
    return `${ID_PREFIX.exec(id)?.[0] ?? 'item'}_${this.#to.identity.requestId}_${index}`;
  }

  /** Returns an item as the caller sees it: encrypted content only if it has asked for it. */
  item(item: JsonObject, index: number): JsonObject {
    return this.#keepsEncrypted ? this.#whole(item, index) : withoutContent(this.#whole(item, index));
  }

  /** Does the same for an item that is complete. @throws Error for a tool call without a name */
  completeItem(item: JsonObject, index: number): JsonObject {
    return this.item(repairedCall(item, index), index);
  }

  /** Returns a response in progress as the caller sees it. */
  response(response: JsonObject): JsonObject {
    const { identity, request } = this.#to;
    const { parsed } = request;
    const shown: Record<string, unknown> = {
      ...withoutOperatorsCosts(response),
      id: responseId(identity.requestId),
      model: identity.model,
      store: request.isStored ?? false,
      background: parsed.background ?? false,
      previous_response_id: parsed.previous_response_id ?? null,
      max_output_tokens: parsed.max_output_tokens ?? null,
      max_tool_calls: parsed.max_tool_calls ?? null,
      tools: listOf(response.tools).map(withDefaults),
      output: listOf(response.output).map((item, index) => this.#shown(membersOf(item), index)),
    };
    if ('instructions' in response) shown.instructions = parsed.instructions ?? null;
    for (const member of OPERATORS_MEMBERS) delete shown[member];
    for (const member of OMITTED_NULLS) if (shown[member] === null) delete shown[member];
    return shown;
  }

  /** Returns a compaction as the caller sees it, with the encrypted content that it consists of. */
  compaction(compacted: JsonObject): JsonObject {
    const { identity } = this.#to;
    const shown: Record<string, unknown> = {
      ...withoutOperatorsCosts(compacted),
      id: responseId(identity.requestId),
      ...('model' in compacted && { model: identity.model }),
      output: listOf(compacted.output).map((item, index) => this.#whole(membersOf(item), index)),
    };
    for (const member of OPERATORS_MEMBERS) delete shown[member];
    return shown;
  }

  /** A response that is stored needs its encrypted content; what the caller has not asked for is removed when it is stored. */
  #shown(item: JsonObject, index: number): JsonObject {
    return this.#to.request.isStored
      ? this.#whole(repairedCall(item, index), index)
      : this.completeItem(item, index);
  }

  #whole(item: JsonObject, index: number): JsonObject {
    const id = textOf(item.id);
    const named = { ...item, id: this.itemId(id, index) };
    const content = textOf(item.encrypted_content);
    if (!isEncrypted(item) || content === '') return named;
    return { ...named, encrypted_content: sealed(this.#account, id, content) };
  }
}

/** Returns a call with an id and arguments that are an object; any other item as it is. */
function repairedCall(item: JsonObject, index: number): JsonObject {
  if (item.type !== 'function_call') return item;
  if (textOf(item.name) === '') throw new Error('reply has a tool call without a name');
  const call = withArguments(item);
  return textOf(item.call_id) === '' ? { ...call, call_id: generatedToolId(item.id, index) } : call;
}

/** Returns the call of a function, or the event that has its arguments, with arguments that are an object. */
export function withArguments(holder: JsonObject): JsonObject {
  const text = argumentsOf(holder) || '{}';
  return text === holder.arguments ? holder : { ...holder, arguments: text };
}

/** Whether an item has content that is tied to the account. */
const isEncrypted = ({ type }: JsonObject): boolean => type === 'reasoning' || type === 'compaction';

/** A summary of the conversation is nothing without it. */
function withoutContent(item: JsonObject): JsonObject {
  if (item.type !== 'reasoning') return item;
  const { encrypted_content: _, ...others } = item;
  return others;
}
