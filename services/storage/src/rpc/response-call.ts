import { jsonReply, type LinkCall } from '@gateway/link';
import type { RequestContext } from '@gateway/rpc';
import type { ContentReader } from '../domain/content-reader';
import { withoutEncrypted } from '../responses/rules/encrypted-content';
import type { StoredResponse } from '../responses/store/responses';

/** A call that costs nothing, as billing has admitted it. */
export interface AdmittedFree {
  /** Response headers. */
  readonly headers: Record<string, string>;
  /** What the key sees now. */
  readonly reader: ContentReader;
}

export interface FreeCallOptions {
  /** The call stores content, for which its account needs a balance. */
  readonly stores?: boolean;
}

/** Counts a call against the key's RPM. @throws GatewayError billing's refusal */
export type FreeAdmission = (
  context: RequestContext,
  call: Pick<LinkCall, 'key' | 'method' | 'path'>,
  options?: FreeCallOptions,
) => Promise<AdmittedFree>;

/** The path of a response, and its rest: `/input_items`, `/cancel` or `/delete`, if any. */
const RESPONSE_PATH = /^\/v1\/responses\/([^/]+)(\/[a-z_]+)?$/;

/** Ids are compared as they are: none of the gateway's needs an encoding. */
export const responseIdOf = (path: string): string => RESPONSE_PATH.exec(path)?.[1] ?? '';

/** @param keepsEncrypted the client has asked for encrypted content */
export function responseReply(
  { json, progress }: StoredResponse,
  headers: Readonly<Record<string, string>>,
  keepsEncrypted = false,
) {
  const response = JSON.parse(json.toString());
  const output = keepsEncrypted ? response.output : withoutEncrypted(response.output);
  return jsonReply({ ...response, ...(progress && { status: progress }), output }, headers);
}
