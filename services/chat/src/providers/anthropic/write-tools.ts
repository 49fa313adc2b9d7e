import { allowedTools } from '../../domain/allowed-tools';
import type { Conversation, Tool } from '../../domain/conversation';
import { fitSchema } from './fit-schema';
import type { WireTool, WireToolChoice } from './messages-body';
import { writeCache } from './write-input';

export interface WrittenTools {
  readonly tools?: readonly WireTool[] | undefined;
  readonly tool_choice?: WireToolChoice | undefined;
}

/** @param compiles the model holds itself to schemas */
export function writeTools(conversation: Conversation, compiles: boolean): WrittenTools {
  const offered = offeredTools(conversation);
  // A choice without tools is refused.
  if (offered.length === 0) return {};
  return {
    tools: offered.map((tool) => writeTool(tool, compiles)),
    tool_choice: writeChoice(conversation),
  };
}

/** The caller wants a call whatever the model thinks of it. */
export function forcesTool({ tools, toolChoice }: Conversation): boolean {
  if (tools.length === 0) return false;
  return toolChoice.kind === 'allowed'
    ? toolChoice.required
    : toolChoice.kind === 'required' || toolChoice.kind === 'tool';
}

/** The API knows no list of allowed tools, so the others are not shown. */
function offeredTools({ tools, toolChoice }: Conversation): readonly Tool[] {
  return toolChoice.kind === 'allowed' ? allowedTools(tools, toolChoice.names) : tools;
}

/** `strict` is left out where the schema cannot be compiled: the tool is worth more than the guarantee. */
function writeTool({ name, description, parameters, strict, cache }: Tool, compiles: boolean): WireTool {
  const schema = { ...parameters, type: 'object' };
  const fitted = strict && compiles ? fitSchema(schema) : undefined;
  return {
    name,
    description,
    input_schema: fitted ?? schema,
    strict: fitted && true,
    cache_control: writeCache(cache),
  };
}

/** Undefined: as the API does by itself, which is to let the model choose. */
function writeChoice({ toolChoice, parallelToolCalls }: Conversation): WireToolChoice | undefined {
  const alone = parallelToolCalls === false && ({ disable_parallel_tool_use: true } as const);
  switch (toolChoice.kind) {
    case 'none':
      return { type: 'none' };
    case 'auto':
      return alone ? { type: 'auto', ...alone } : undefined;
    case 'required':
      return { type: 'any', ...alone };
    case 'tool':
      return { type: 'tool', name: toolChoice.name, ...alone };
    case 'allowed':
      if (toolChoice.required) return { type: 'any', ...alone };
      return alone ? { type: 'auto', ...alone } : undefined;
  }
}
