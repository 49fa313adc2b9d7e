import { type JsonObject, membersOf } from '@gateway/upstream';

/**
 * Values of `error.code` that blame the call, whatever the status: OpenAI's, most of them of an image (openai 7.57, `ResponseError`).
 */
const CALLERS_CODES: readonly string[] = [
  'context_length_exceeded',
  'string_above_max_length',
  'invalid_prompt',
  'content_policy_violation',
  'content_filter',
  'invalid_image',
  'invalid_image_format',
  'invalid_base64_image',
  'invalid_image_url',
  'invalid_image_mode',
  'image_too_large',
  'image_too_small',
  'image_parse_error',
  'image_content_policy_violation',
  'image_file_too_large',
  'unsupported_image_media_type',
  'empty_image_file',
  'failed_to_download_image',
  'image_file_not_found',
];

/** Returns whether an error's code blames the call. */
export const isCallersCode = (code: unknown): boolean => CALLERS_CODES.includes(code as string);

/** Values of `error.type`, `error.code` or `error.status` of Anthropic, OpenAI, Azure and Google. */
const STATUSES: ReadonlyMap<unknown, number> = new Map([
  ...CALLERS_CODES.map((code) => [code, 400] as const),
  ['invalid_request_error', 400],
  ['INVALID_ARGUMENT', 400],
  ['FAILED_PRECONDITION', 400],
  ['authentication_error', 401],
  ['invalid_api_key', 401],
  ['UNAUTHENTICATED', 401],
  ['billing_error', 402],
  ['insufficient_quota', 402],
  ['permission_error', 403],
  ['PERMISSION_DENIED', 403],
  ['not_found_error', 404],
  ['NOT_FOUND', 404],
  ['request_too_large', 413],
  ['rate_limit_error', 429],
  ['rate_limit_exceeded', 429],
  ['too_many_requests', 429],
  ['RESOURCE_EXHAUSTED', 429],
  ['api_error', 500],
  ['server_error', 500],
  ['INTERNAL', 500],
  ['tool_use_failed', 502],
  ['UNAVAILABLE', 503],
  ['timeout_error', 504],
  ['DEADLINE_EXCEEDED', 504],
  ['overloaded_error', 529],
]);

/**
 * Returns the HTTP status that the provider would have sent if it had failed before its stream began; undefined if the error
 * event does not tell. Compatible servers put a number next to the error or in it, as `code` or `status`.
 */
export function statusOfErrorEvent(data: JsonObject): number | undefined {
  const error = membersOf(data.error);
  // A code is more specific than its type.
  const candidates = [error.code, error.status, error.type, data.code, data.status];
  for (const value of candidates) {
    const status = STATUSES.get(value) ?? Number(value);
    if (Number.isInteger(status) && status >= 400 && status <= 599) return status;
  }
  return undefined;
}
