import { isObject, type JsonObject } from '@gateway/upstream';
import { ANY_TOOL } from '../../domain/any-tool';
import type { CacheHint, Tool, ToolChoice } from '../../domain/conversation';
import type { ChatCompletionBody } from './chat-schema';
import { readCacheHint, refused } from './read-parts';

const NO_PARAMETERS: JsonObject = { type: 'object', properties: {} };

export function readTools(body: ChatCompletionBody): Tool[] {
  const tools = (body.tools ?? []).map((tool, index) => {
    if (tool.type === 'custom')
      throw refused(`tools[${index}]`, 'custom tools are not supported by this model');
    return readFunction(tool.function, `tools[${index}].function`, readCacheHint(tool));
  });
  const legacy = (body.functions ?? []).map((entry, index) =>
    readFunction(entry, `functions[${index}]`, undefined),
  );
  return [...tools, ...legacy];
}

/** @param tools those that the caller declared: a choice must name one of them */
export function readToolChoice(body: ChatCompletionBody, tools: readonly Tool[]): ToolChoice {
  const choice = parseChoice(body.tool_choice ?? body.function_call);
  if (choice.kind === 'auto' || choice.kind === 'none') return choice;
  if (tools.length === 0) throw refused('tool_choice', 'there are no tools');
  const names = choice.kind === 'tool' ? [choice.name] : choice.kind === 'allowed' ? choice.names : [];
  const known = new Set(tools.map(({ name }) => name));
  if (!names.every((name) => known.has(name)))
    throw refused('tool_choice', 'does not match any tool in the request');
  return choice;
}

function readFunction(entry: JsonObject, path: string, cache: CacheHint | undefined): Tool {
  const { name, description, parameters, strict } = entry;
  if (typeof name !== 'string' || name === '') throw refused(path, 'needs a name');
  return {
    name,
    description: typeof description === 'string' ? description : undefined,
    parameters: isObject(parameters) && Object.keys(parameters).length > 0 ? parameters : NO_PARAMETERS,
    strict: typeof strict === 'boolean' ? strict : undefined,
    cache,
  };
}

function parseChoice(choice: unknown): ToolChoice {
  if (choice === undefined || choice === null) return { kind: 'auto' };
  if (choice === 'auto' || choice === 'none' || choice === 'required') return { kind: choice };
  if (choice === ANY_TOOL) return { kind: 'required' };
  if (!isObject(choice)) throw refused('tool_choice', 'invalid value');
  if (choice.type === 'allowed_tools') return parseAllowed(choice.allowed_tools);
  if (choice.type === 'custom') throw refused('tool_choice', 'custom tools are not supported by this model');
  // The legacy `function_call` has the name on its first level.
  const name = isObject(choice.function) ? choice.function.name : choice.name;
  if (typeof name !== 'string') throw refused('tool_choice', 'needs the name of a function');
  return { kind: 'tool', name };
}

function parseAllowed(allowed: unknown): ToolChoice {
  const list = isObject(allowed) && Array.isArray(allowed.tools) ? allowed.tools : [];
  const names = list.map((tool: unknown) => {
    const name = isObject(tool) && isObject(tool.function) ? tool.function.name : undefined;
    if (typeof name !== 'string') throw refused('tool_choice.allowed_tools', 'only functions are supported');
    return name;
  });
  if (names.length === 0) throw refused('tool_choice.allowed_tools', 'needs tools');
  return { kind: 'allowed', names, required: isObject(allowed) && allowed.mode === 'required' };
}
