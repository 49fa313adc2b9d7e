import { isClientError, membersOf, showableMessage, textOf } from '@gateway/upstream';
import { MediaRefused } from '../../domain/media-refused';
import type { JsonReply } from '../send-json';
import { refusedCall } from './refused-call';

/** Refused by policy. */
const POLICY = new Set(['moderation_blocked', 'content_policy_violation']);
/** Values that a catalog may list by mistake: always refused, so a retry does not help. */
const OFFERED = new Set([
  'size',
  'n',
  'output_format',
  'quality',
  'background',
  'output_compression',
  'mask',
]);

/** Returns what an error means, as MediaRefused or UpstreamError. */
export function refusedImage(reply: JsonReply): Error {
  const { code, message, param } = membersOf(membersOf(reply.value).error);
  const refused = refusedCall(reply);
  if (isClientError(refused.failure) && (POLICY.has(textOf(code)) || OFFERED.has(textOf(param)))) {
    return new MediaRefused(showableMessage(message) ?? 'the provider refused it');
  }
  return refused;
}
