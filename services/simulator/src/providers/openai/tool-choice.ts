import type { ToolCall } from '../../domain/prompt';
import { instanceOf } from '../../domain/schema-instance';
import { isObject, type Json } from '../json';

/** Returns the call of a function tool that `tool_choice` forces; null if it forces none. */
export function forcedCall(choice: unknown, tools: readonly unknown[]): ToolCall | null {
  if (choice === 'required') return callOf(tools, () => true);
  if (!isObject(choice)) return null;
  if (choice.type === 'function') return callOf(tools, (name) => name === nameOf(choice));
  const allowed = choice.type === 'allowed_tools' ? choice.allowed_tools : undefined;
  if (!isObject(allowed) || allowed.mode !== 'required' || !Array.isArray(allowed.tools)) return null;
  const names = new Set(allowed.tools.filter(isObject).map(nameOf));
  return callOf(tools, (name) => names.has(name));
}

function callOf(tools: readonly unknown[], suits: (name: unknown) => boolean): ToolCall | null {
  const tool = tools.filter(isObject).find((one) => one.type === 'function' && suits(nameOf(one)));
  if (tool === undefined || !isObject(tool.function)) return null;
  const { name, parameters = { type: 'object' } } = tool.function;
  return { name: String(name).toWellFormed(), arguments: JSON.stringify(instanceOf(parameters)) };
}

const nameOf = (tool: Json): unknown => (isObject(tool.function) ? tool.function.name : undefined);
