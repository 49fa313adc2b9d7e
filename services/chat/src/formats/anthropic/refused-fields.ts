import { GatewayError } from '@gateway/errors';
import { isObject } from '@gateway/upstream';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Fields of the format whose cost has no price here, or that access the one account that all callers share, with the reason.
 * All other fields of the format are supported.
 */
const REFUSED: readonly { field: string; when?: (value: unknown) => boolean; why: string }[] = [
  { field: 'billing_policy', why: 'calls are billed by the gateway' },
  { field: 'compaction', why: 'its summary is billed in addition to the reply' },
  { field: 'container', why: 'containers are billed by the hour' },
  { field: 'fallback_credit_token', why: 'credits belong to the account that all callers share' },
  { field: 'fallbacks', why: 'another model has another price' },
  { field: 'inference_geo', when: (geo) => geo !== 'global', why: 'a region costs more' },
  {
    field: 'mcp_servers',
    when: (servers) => !Array.isArray(servers) || servers.length > 0,
    why: "a server's responses have no maximum size",
  },
  { field: 'speed', when: (speed) => speed === 'fast', why: 'it costs more' },
];

/**
 * Refuses conversations that the provider stores, because their size has no bound. The official SDK's tool runner requests
 * one by default, and sends the whole conversation instead when it receives this error code of Anthropic's.
 * @throws GatewayError `invalid_request`
 */
export function refuseThread({ thread }: Fields): void {
  if (thread === undefined || thread === null) return;
  throw new GatewayError('invalid_request', {
    detail: 'thread: not supported: the size of a stored conversation has no maximum',
    formatCode: 'thread_unsupported_request',
  });
}

/** Edits that only remove content. A compaction is another call, which the reply's usage does not include. */
const FREE_EDIT = /^clear_/;

/** Returns the fields of the body that are refused, with the reason. */
export function refusedFields(body: Fields): { path: string[]; why: string }[] {
  const refused = REFUSED.filter(({ field, when }) => {
    const value = body[field];
    return value !== undefined && value !== null && (when?.(value) ?? true);
  }).map(({ field, why }) => ({ path: [field], why }));
  const edits = isObject(body.context_management) ? body.context_management.edits : undefined;
  if (edits != null && !(Array.isArray(edits) && edits.every(isFree))) {
    const path = ['context_management', 'edits'];
    refused.push({ path, why: 'an edit other than clear_* is billed in addition to the reply' });
  }
  return refused;
}

function isFree(edit: unknown): boolean {
  return isObject(edit) && typeof edit.type === 'string' && FREE_EDIT.test(edit.type);
}
