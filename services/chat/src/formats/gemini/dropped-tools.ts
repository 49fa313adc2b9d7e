import { isObject, listOf, membersOf } from '@gateway/upstream';
import type { DropTools } from '../dropped-tools';

const FUNCTIONS = new Set(['functionDeclarations', 'function_declarations']);
const SEARCH = new Set(['googleSearch', 'google_search']);

/** A tool of this format is a member, which may be in an object with others. `countTokens` may have the whole request inside its body. */
export const dropContentsTools: DropTools = (body, optional) => {
  const { generateContentRequest: inner } = body;
  if (isObject(inner)) {
    const { changes, names } = dropContentsTools(inner, optional);
    const kept = Object.entries(inner).filter(([name]) => !changes.has(name));
    const changed = [...changes].flatMap(([name, json]) =>
      json === undefined ? [] : [[name, JSON.parse(json)]],
    );
    const request = JSON.stringify(Object.fromEntries([...kept, ...changed]));
    return { changes: new Map(names.length > 0 ? [['generateContentRequest', request]] : []), names };
  }
  const changes = new Map<string, string | undefined>();
  const names: string[] = [];
  const isKept = ([name, value]: [string, unknown]): boolean => {
    if (value == null || FUNCTIONS.has(name)) return true;
    if (SEARCH.has(name) && !optional.has('web_search')) return true;
    names.push(name);
    return false;
  };
  const kept = listOf(body.tools)
    .map((tool) => Object.fromEntries(Object.entries(membersOf(tool)).filter(isKept)))
    .filter((tool) => Object.values(tool).some((value) => value != null));
  if (names.length === 0) return { changes, names };
  changes.set('tools', kept.length > 0 ? JSON.stringify(kept) : undefined);
  if (kept.length === 0) for (const name of ['toolConfig', 'tool_config']) changes.set(name, undefined);
  return { changes, names };
};
