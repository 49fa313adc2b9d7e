import type { CallerRequest } from '../domain/caller-request';
import type { ChatProvider, WholeReply } from '../domain/chat-provider';
import type { Conversation, ToolChoice, Turn } from '../domain/conversation';
import { passesThrough } from '../domain/passes-through';
import { COMMON_TOOL_NAMES, fitToolName } from '../domain/tool-names';
import { parseExact } from '../json/exact-json';
import { mapAt, onStrings } from '../json/map-at';
import { PASSED_PLACES } from './passed-places';

/** Names of tools that the provider refuses, with those that it gets instead. */
export type RenamedTools = ReadonlyMap<string, string>;

/** Returns the names that have to differ; undefined if the provider accepts all of them. */
export function renamedTools(request: CallerRequest, provider: ChatProvider): RenamedTools | undefined {
  const passes = passesThrough(request, provider);
  const rule = provider.toolLimits?.names ?? (passes ? undefined : COMMON_TOOL_NAMES);
  if (!rule) return undefined;
  let renamed: Map<string, string> | undefined;
  const see = (name: string): string => {
    if (!rule.accepted.test(name)) {
      renamed ??= new Map();
      renamed.set(name, fitToolName(name, rule));
    }
    return name;
  };
  if (passes)
    for (const path of PASSED_PLACES[request.wire].names) mapAt(request.parsed, path, onStrings(see));
  else for (const name of toolNamesOf(request.conversation())) see(name);
  return renamed;
}

/** Returns the conversation with the names that the provider accepts; the same one if no name differs. */
export function withFittedNames(request: CallerRequest, provider: ChatProvider): Conversation {
  const renamed = renamedTools(request, provider);
  const conversation = request.conversation();
  return renamed ? renameConversation(conversation, (name) => renamed.get(name) ?? name) : conversation;
}

function* toolNamesOf({ tools, turns }: Conversation): Iterable<string> {
  for (const { name } of tools) yield name;
  for (const { role, parts } of turns) {
    if (role === 'assistant') for (const part of parts) if (part.kind === 'tool_call') yield part.name;
  }
}

function renameConversation(conversation: Conversation, rename: (name: string) => string): Conversation {
  const { tools, turns, toolChoice } = conversation;
  return {
    ...conversation,
    tools: tools.map((tool) => ({ ...tool, name: rename(tool.name) })),
    turns: turns.map((turn) => renameTurn(turn, rename)),
    toolChoice: renameChoice(toolChoice, rename),
  };
}

function renameTurn(turn: Turn, rename: (name: string) => string): Turn {
  if (turn.role !== 'assistant' || !turn.parts.some(({ kind }) => kind === 'tool_call')) return turn;
  const parts = turn.parts.map((part) =>
    part.kind === 'tool_call' ? { ...part, name: rename(part.name) } : part,
  );
  return { role: 'assistant', parts };
}

function renameChoice(choice: ToolChoice, rename: (name: string) => string): ToolChoice {
  if (choice.kind === 'tool') return { ...choice, name: rename(choice.name) };
  return choice.kind === 'allowed' ? { ...choice, names: choice.names.map(rename) } : choice;
}

/** Restores the caller's names in what a provider sends. */
export class OriginalNames {
  readonly #originals: ReadonlyMap<string, string>;
  readonly #member: RegExp;

  constructor(renamed: RenamedTools) {
    this.#originals = new Map([...renamed].map(([original, fitted]) => [fitted, original]));
    const fitted = [...renamed.values()].map((name) => name.replaceAll('.', '\\.'));
    this.#member = new RegExp(`("name(?:space)?"\\s*:\\s*)"(${fitted.join('|')})"`, 'g');
  }

  /** A quote within a JSON string is escaped, so the name of a tool in the model's text stays. */
  restore(bytes: Buffer): Buffer {
    if (!bytes.includes('"name')) return bytes;
    const text = bytes.toString('utf8');
    const restored = text.replace(
      this.#member,
      (_, start: string, name: string) => start + JSON.stringify(this.#originals.get(name)),
    );
    return restored === text ? bytes : Buffer.from(restored);
  }

  restoreReply(reply: WholeReply): WholeReply {
    const bytes = this.restore(reply.bytes);
    return bytes === reply.bytes
      ? reply
      : { bytes, value: parseExact(bytes.toString('utf8')) as WholeReply['value'] };
  }
}
