import { parseJsonObject, withMembers } from '@gateway/json-body';
import type { LinkHandler, LinkReply } from '@gateway/link';
import { type OptionalTool, ToolNotSupported } from '../domain/tool-not-supported';
import { BODY_BOUNDS } from '../formats/body-bounds';
import type { DropTools } from '../formats/dropped-tools';

/** Response header: what the call has lost. */
const DROPPED_HEADER = 'x-gateway-dropped-tools';
const MAX_NAMES = 16;
const MAX_NAME_CHARS = 64;

/**
 * Wraps `handler` so that calls of keys that ask for it lose the tools that their model can't have, instead of being refused.
 * Which optional tools those are is known only when the handler has found the model's providers.
 */
export const droppingTools =
  (dropTools: DropTools, handler: LinkHandler): LinkHandler =>
  async (context, call) => {
    if (!call.key.dropUnsupportedTools) return handler(context, call);
    const { value, members } = parseJsonObject(call.body, BODY_BOUNDS);
    const optional = new Set<OptionalTool>();
    for (;;) {
      const { changes, names } = dropTools(value, optional);
      try {
        if (names.length === 0) return await handler(context, call);
        const body = withMembers(call.body, members, changes);
        return withNames(await handler(context, { ...call, body }), names);
      } catch (error) {
        if (!(error instanceof ToolNotSupported) || optional.has(error.tool)) throw error;
        optional.add(error.tool);
      }
    }
  };

/** The names come from the caller: a header has no other characters. */
function withNames(reply: LinkReply, names: readonly string[]): LinkReply {
  const written = [...new Set(names)]
    .slice(0, MAX_NAMES)
    .map((name) => name.slice(0, MAX_NAME_CHARS).replace(/[^\w.-]/g, '_'));
  return { ...reply, headers: { ...reply.headers, [DROPPED_HEADER]: written.join(', ') } };
}
