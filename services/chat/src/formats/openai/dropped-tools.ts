import { type DropTools, withoutToolTypes } from '../dropped-tools';

const OF_CALLERS = new Set(['function', 'custom', 'allowed_tools']);

export const dropChatTools: DropTools = (body, optional) => {
  const { changes, names } = withoutToolTypes(body, (type) => !OF_CALLERS.has(type));
  if (!optional.has('web_search') || body.web_search_options == null) return { changes, names };
  return { changes: changes.set('web_search_options', undefined), names: [...names, 'web_search'] };
};
