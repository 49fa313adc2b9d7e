import { createHash } from 'node:crypto';
import type { ChatCompletionBody } from '../openai/chat-schema';
import { refused } from '../openai/read-parts';
import type { CallerTool, DeclaredTool } from './responses-schema';

type ChatTool = NonNullable<ChatCompletionBody['tools']>[number];

/** A tool as the caller declared it. */
export interface DeclaredName {
  readonly name: string;
  /** Absent: the tool is in no namespace. */
  readonly namespace?: string | undefined;
  /** Takes a text instead of JSON arguments. */
  readonly isCustom: boolean;
}

/** Longer names are refused by most providers. */
const MAX_NAME_CHARS = 64;
const HASH_CHARS = 8;

/**
 * The tools of a call under names of one level, as functions: other formats have neither namespaces nor tools that take a text.
 * The names are translated back in the reply.
 */
export class CallerTools {
  readonly #declared = new Map<string, DeclaredName>();
  readonly #functions: ChatTool[] = [];

  /** @throws GatewayError `invalid_request` for two tools of one name */
  constructor(tools: readonly DeclaredTool[]) {
    for (const [index, tool] of tools.entries()) {
      if (tool.type !== 'namespace') this.#add(tool, undefined, `tools[${index}]`);
      else
        for (const [at, inner] of tool.tools.entries())
          this.#add(inner, tool.name, `tools[${index}].tools[${at}]`);
    }
  }

  /** In the form of chat completions. */
  get functions(): readonly ChatTool[] {
    return this.#functions;
  }

  /** Returns the tool that a function stands for; a function that was not declared stands for itself. */
  declared(name: string): DeclaredName {
    return this.#declared.get(name) ?? { name, isCustom: false };
  }

  #add(tool: CallerTool, namespace: string | undefined, path: string): void {
    const name = flatName(tool.name, namespace);
    if (this.#declared.has(name)) throw refused(`${path}.name`, 'another tool has this name');
    const isCustom = tool.type === 'custom';
    this.#declared.set(name, { name: tool.name, namespace, isCustom });
    this.#functions.push({
      type: 'function',
      function: isCustom ? textFunction(tool, name) : { ...tool, name },
    });
  }
}

/** Returns the name of a function for a tool in a namespace. */
export function flatName(name: string, namespace: string | null | undefined): string {
  if (!namespace) return name;
  const flat = `${namespace}__${name}`;
  if (flat.length <= MAX_NAME_CHARS) return flat;
  const hash = createHash('sha256').update(flat).digest('hex').slice(0, HASH_CHARS);
  return `${flat.slice(0, MAX_NAME_CHARS - HASH_CHARS - 1)}_${hash}`;
}

/** Arguments of the function that stands for a custom tool. */
export const textArguments = (input: string): string => JSON.stringify({ input });

/** Returns the text in the arguments of such a function; the arguments themselves if the model wrote something else. */
export function textOfArguments(text: string): string {
  try {
    const { input } = JSON.parse(text);
    return typeof input === 'string' ? input : text;
  } catch {
    return text;
  }
}

/** A grammar becomes part of the description, for no other format enforces one. */
function textFunction({ description, format }: Extract<CallerTool, { type: 'custom' }>, name: string) {
  const grammar =
    format?.type === 'grammar' && format.definition
      ? `The input must follow this grammar (${format.syntax ?? 'lark'}):\n${format.definition}`
      : '';
  return {
    name,
    description: [description, grammar].filter(Boolean).join('\n\n'),
    parameters: {
      type: 'object',
      properties: { input: { type: 'string', description: 'The input of the tool, as it is' } },
      required: ['input'],
      additionalProperties: false,
    },
  };
}
