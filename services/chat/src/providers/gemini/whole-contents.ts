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
  const hears = listOf(contents).some((turn) => listOf(membersOf(turn).parts).some(isAudio));
  if (hears && !capabilities.has(AUDIO))
    throw new GatewayError('invalid_request', {
      detail: 'audio is not supported with this model: it costs more than text',
    });
  return NO_CHANGES;
}

function isAudio(part: unknown): boolean {
  const { inlineData, inline_data, fileData, file_data } = membersOf(part);
  const { mimeType, mime_type } = membersOf(inlineData ?? inline_data ?? fileData ?? file_data);
  return /^audio\//i.test(textOf(mimeType ?? mime_type));
}
