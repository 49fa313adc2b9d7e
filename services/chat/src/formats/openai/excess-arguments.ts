import { refuseExcess } from '@gateway/json-body';
import { membersOf, textOf } from '@gateway/upstream';
import { BODY_BOUNDS } from '../body-bounds';
import type { ChatMessage } from './chat-schema';

/**
 * Bounds the arguments of tool calls. They are JSON in a string, so the bounds of the body do not apply to their values, but
 * providers of other formats need them parsed.
 * @throws GatewayError `invalid_request` when all of them together exceed the bounds of a body
 */
export function refuseExcessArguments(messages: readonly ChatMessage[]): void {
  const texts: Buffer[] = [];
  for (const { tool_calls, function_call } of messages) {
    for (const call of tool_calls ?? []) texts.push(Buffer.from(call.function?.arguments ?? ''));
    if (function_call) texts.push(Buffer.from(textOf(membersOf(function_call).arguments)));
  }
  refuseExcess(texts, BODY_BOUNDS, 'the arguments of tool calls');
}
