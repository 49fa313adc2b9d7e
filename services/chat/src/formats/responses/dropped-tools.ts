import { isWebSearchType } from '../../domain/web-search-type';
import { type DropTools, withoutToolTypes } from '../dropped-tools';
import { isLeftOut, toolSchemas } from './responses-schema';

export const dropResponsesTools: DropTools = (body, optional) =>
  withoutToolTypes(body, (type, tool) => {
    if (isWebSearchType(type)) return optional.has('web_search') && !isLeftOut(tool);
    return type !== 'allowed_tools' && !Object.hasOwn(toolSchemas, type) && !isLeftOut(tool);
  });
