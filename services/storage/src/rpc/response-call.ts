import { jsonReply } from '@gateway/link';
import type { KeyContext__Output } from '@gateway/proto/generated/gateway/edge/v1/KeyContext';
import type { RequestContext } from '@gateway/rpc';
import { withoutEncrypted } from '../responses/rules/encrypted-content';
import type { StoredResponse } from '../responses/store/responses';

/** Counts a call against the key's RPM; returns response headers. */
export type FreeAdmission = (
  context: RequestContext,
  key: KeyContext__Output,
) => Promise<Record<string, string>>;

/** The path of a response, and its rest: `/input_items`, `/cancel` or `/delete`, if any. */
export const RESPONSE_PATH = /^\/v1\/responses\/([^/]+)(\/[a-z_]+)?$/;

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
