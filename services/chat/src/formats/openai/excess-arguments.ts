import { refuseExcess } from '@gateway/json-body';
import { membersOf, textOf } from '@gateway/upstream';
import { BODY_BOUNDS } from '../body-bounds';
import type { ChatMessage } from './chat-schema';

/**
 * What tools were called with is JSON in a text, in which the bounds of the body see no values, and which providers
 * of other formats want parsed.
 * @throws GatewayError `invalid_request` for more in all of them than a body may have
 */
export function refuseExcessArguments(messages: readonly ChatMessage[]): void {
  const texts: Buffer[] = [];
  for (const { tool_calls, function_call } of messages) {
    for (const call of tool_calls ?? []) texts.push(Buffer.from(call.function?.arguments ?? ''));
    if (function_call) texts.push(Buffer.from(textOf(membersOf(function_call).arguments)));
  }
  refuseExcess(texts, BODY_BOUNDS, 'messages: what tools were called with');
}
