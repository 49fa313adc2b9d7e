import { GatewayError } from '@gateway/errors';
import { listOf, membersOf, textOf } from '@gateway/upstream';
import type { WholeReply } from '../../domain/chat-provider';
import type { MemberOverrides } from '../../domain/pass-through-change';
import { ModelNameRewriter } from '../model-name-rewriter';
import { AUDIO } from './write-request';

/** The member of a response that names the model. */
export const VERSION_MEMBER = 'modelVersion';

/** Returns a complete reply with the slug in place of the provider's name of the model. */
export const withSlug = ({ bytes }: WholeReply, model: string): Buffer =>
  new ModelNameRewriter(model, VERSION_MEMBER).inReply(bytes);

const NO_CHANGES: MemberOverrides = new Map();

/** @throws GatewayError `invalid_request` for audio, unless the model's price covers it */
export function refuseAudio(
  { contents }: Readonly<Record<string, unknown>>,
  capabilities: ReadonlySet<string>,
): MemberOverrides {
  const turns = Array.isArray(contents) ? contents : [contents];
  const hears = turns.some((turn) => listOf(membersOf(turn).parts).some(hasAudio));
  if (hears && !capabilities.has(AUDIO))
    throw new GatewayError('invalid_request', {
      detail: 'audio is not supported with this model: it costs more than text',
    });
  return NO_CHANGES;
}

/** True for audio, also in the result of a function. Names of members may be in either case. */
function hasAudio(part: unknown): boolean {
  const { inlineData, inline_data, fileData, file_data, functionResponse, function_response } =
    membersOf(part);
  if (listOf(membersOf(functionResponse ?? function_response).parts).some(hasAudio)) return true;
  const { mimeType, mime_type } = membersOf(inlineData ?? inline_data ?? fileData ?? file_data);
  return /^audio\//i.test(textOf(mimeType ?? mime_type));
}
