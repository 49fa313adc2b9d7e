import { isObject, type JsonObject, listOf, membersOf, textOf } from '@gateway/upstream';
import type { MemberOverrides } from '../domain/pass-through-change';
import type { OptionalTool } from '../domain/tool-not-supported';

/** Tools that a body loses. */
export interface DroppedTools {
  /** New JSON of top-level members; undefined for a member to omit. */
  readonly changes: MemberOverrides;
  readonly names: readonly string[];
}

/**
 * Returns a body's tools that the gateway offers with no model, and what else changes without them.
 * @param optional tools that the call's model can't have either
 */
export type DropTools = (body: JsonObject, optional: ReadonlySet<OptionalTool>) => DroppedTools;

/** Members that mean nothing, and are refused by some providers, without tools. */
const NEED_TOOLS = ['tools', 'tool_choice', 'parallel_tool_calls'];

/**
 * Returns the changes to a body whose tools are in `tools` and whose choice is in `tool_choice`.
 * @param droppedName returns the name of a tool if it is dropped
 * @param choosesDropped whether a choice means one of the dropped tools
 */
export function withoutTools(
  body: JsonObject,
  droppedName: (tool: JsonObject) => string | undefined,
  choosesDropped: (choice: JsonObject) => boolean,
): { changes: Map<string, string | undefined>; names: string[] } {
  const changes = new Map<string, string | undefined>();
  const names: string[] = [];
  const kept = listOf(body.tools).filter((tool) => {
    const name = isObject(tool) ? droppedName(tool) : undefined;
    if (name !== undefined) names.push(name);
    return name === undefined;
  });
  if (names.length === 0) return { changes, names };
  if (kept.length === 0) for (const member of NEED_TOOLS) changes.set(member, undefined);
  else {
    changes.set('tools', JSON.stringify(kept));
    if (choosesDropped(membersOf(body.tool_choice))) changes.set('tool_choice', undefined);
  }
  return { changes, names };
}

/** The same for OpenAI's formats, in which a choice has the type of its tool. */
export function withoutToolTypes(
  body: JsonObject,
  isDropped: (type: string, tool: JsonObject) => boolean,
): ReturnType<typeof withoutTools> {
  const dropped = (tool: JsonObject): string | undefined => {
    const type = textOf(tool.type);
    return type !== '' && isDropped(type, tool) ? type : undefined;
  };
  const allowed = (choice: JsonObject) => listOf(choice.tools ?? membersOf(choice.allowed_tools).tools);
  return withoutTools(
    body,
    dropped,
    (choice) =>
      choice.type !== undefined &&
      [choice, ...allowed(choice)].some((one) => dropped(membersOf(one)) !== undefined),
  );
}
