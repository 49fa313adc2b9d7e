import type { ToolCall } from '../../domain/prompt';
import { instanceOf } from '../../domain/schema-instance';
import type { Json } from '../json';
import { TOOL_NAME } from './blocks';
import type { CacheControls } from './cache-controls';
import { invalid } from './error';
import { extra, listAt, matchAt, objectAt, oneOfAt, onlyFields } from './fields';

const FIELDS = new Set([
  'type',
  'name',
  'description',
  'input_schema',
  'allowed_callers',
  'cache_control',
  'defer_loading',
  'eager_input_streaming',
  'input_examples',
  'strict',
]);

const CHOICE_FIELDS = {
  auto: new Set(['type', 'disable_parallel_tool_use']),
  any: new Set(['type', 'disable_parallel_tool_use']),
  tool: new Set(['type', 'name', 'disable_parallel_tool_use']),
  none: new Set(['type']),
} as const;

export function readTools(value: unknown, cacheControls: CacheControls): Json[] {
  if (value === undefined) return [];
  const tools = listAt(value, 'tools').map((tool, i) => readTool(tool, `tools.${i}`, cacheControls));
  if (new Set(tools.map(({ name }) => name)).size < tools.length) {
    throw invalid('tools: Tool names must be unique.');
  }
  return tools;
}

function readTool(value: unknown, at: string, cacheControls: CacheControls): Json {
  const tool = objectAt(value, at);
  cacheControls.add(tool.cache_control, at);
  // The fields of Anthropic's own tools are not checked.
  if (!isCustom(tool)) return tool;
  const inside = `${at}.custom`;
  matchAt(tool.name, TOOL_NAME, `${inside}.name`);
  const schema = objectAt(tool.input_schema, `${inside}.input_schema`);
  oneOfAt(schema.type, ['object'], `${inside}.input_schema.type`);
  onlyFields(tool, FIELDS, inside);
  return tool;
}

function isCustom({ type }: Json): boolean {
  return type == null || type === 'custom';
}

/** Returns the call that `tool_choice` forces; null if it forces none. */
export function readToolChoice(value: unknown, tools: readonly Json[]): ToolCall | null {
  if (value === undefined) return null;
  if (tools.length === 0)
    throw invalid('tool_choice: tool_choice may only be specified while providing tools.');
  const choice = objectAt(value, 'tool_choice');
  const type = oneOfAt(choice.type, ['auto', 'any', 'tool', 'none'], 'tool_choice.type');
  for (const field of Object.keys(choice)) {
    if (!CHOICE_FIELDS[type].has(field)) throw extra(`tool_choice.${type}.${field}`);
  }
  if (type !== 'any' && type !== 'tool') return null;
  if (type === 'tool' && !tools.some(({ name }) => name === choice.name)) {
    throw invalid(`Tool '${choice.name}' not found in provided tools`);
  }
  const tool = tools.find((one) => isCustom(one) && (type === 'any' || one.name === choice.name));
  if (tool === undefined) return null;
  return { name: String(tool.name), arguments: JSON.stringify(instanceOf(tool.input_schema)) };
}
