import type { Tool } from '../../domain/conversation';
import { toCacheHint } from './cache-hint';
import type { ToolEntry } from './messages-schema';
import { toolKind } from './supported-tools';
import type { OnUnsupported } from './unsupported-content';

const NO_PARAMETERS = { type: 'object' };

/** Only Anthropic's own models know the tools that Anthropic defines. */
export function toTools(tools: readonly ToolEntry[], onUnsupported: OnUnsupported): Tool[] {
  return tools.flatMap((tool) => {
    const kind = toolKind(tool.type);
    if (kind === 'web_search') return [];
    if (kind !== 'custom') onUnsupported(`the tool type ${tool.type}`, 'anthropic_tool');
    return {
      name: tool.name ?? String(tool.type),
      description: tool.description || undefined,
      parameters: tool.input_schema ?? NO_PARAMETERS,
      strict: tool.strict ?? undefined,
      cache: toCacheHint(tool.cache_control),
    };
  });
}
