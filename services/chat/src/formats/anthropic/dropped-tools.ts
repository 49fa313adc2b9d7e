import { listOf, membersOf, textOf } from '@gateway/upstream';
import { type DropTools, withoutTools } from '../dropped-tools';
import { toolKind } from './supported-tools';

/** Types of Anthropic's own tools have a date. Other unknown types are mistakes. */
const OWN_TYPE = /_\d{8}$|^mcp_toolset$/;

export const dropMessagesTools: DropTools = (body, optional) => {
  const isDropped = (type: unknown): boolean => {
    const kind = toolKind(type);
    if (typeof kind === 'object') return OWN_TYPE.test(textOf(type));
    if (kind === 'web_search') return optional.has('web_search');
    return kind !== 'custom' && optional.has('anthropic_tool');
  };
  const chosen = textOf(membersOf(body.tool_choice).name);
  const { changes, names } = withoutTools(
    body,
    ({ type }) => (isDropped(type) ? textOf(type) : undefined),
    () =>
      chosen !== '' &&
      listOf(body.tools).some((tool) => {
        const { type, name } = membersOf(tool);
        return name === chosen && isDropped(type);
      }),
  );
  if (listOf(body.mcp_servers).length === 0) return { changes, names };
  return { changes: changes.set('mcp_servers', undefined), names: [...names, 'mcp_servers'] };
};
