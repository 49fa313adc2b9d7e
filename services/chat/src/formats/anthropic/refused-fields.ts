import { GatewayError } from '@gateway/errors';
import { isObject } from '@gateway/upstream';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Fields of the format that cost what has no price here, or reach into the one account that all callers share,
 * with the reason. Everything else that the format has goes through.
 */
const REFUSED: readonly { field: string; when?: (value: unknown) => boolean; why: string }[] = [
  { field: 'billing_policy', why: 'calls are billed by the gateway' },
  { field: 'compaction', why: 'its summary is billed beside the reply' },
  { field: 'container', why: 'containers are billed by the hour' },
  { field: 'fallback_credit_token', why: 'credits belong to the account that all callers share' },
  { field: 'fallbacks', why: 'another model has another price' },
  { field: 'inference_geo', when: (geo) => geo !== 'global', why: 'a region costs more' },
  {
    field: 'mcp_servers',
    when: (servers) => !Array.isArray(servers) || servers.length > 0,
    why: 'what a server answers can not be bounded',
  },
  { field: 'speed', when: (speed) => speed === 'fast', why: 'it costs more' },
];

/**
 * Conversations that the provider keeps: nothing bounds what it remembers. The official SDK's tool runner asks for
 * one by itself, and on this code of Anthropic's sends the whole conversation instead.
 * @throws GatewayError `invalid_request`
 */
export function refuseThread({ thread }: Fields): void {
  if (thread === undefined || thread === null) return;
  throw new GatewayError('invalid_request', {
    detail: 'thread: not offered: what the provider remembers can not be bounded',
    formatCode: 'thread_unsupported_request',
  });
}

/** Edits that only leave things out; a compaction is one more call that the reply's usage does not show. */
const FREE_EDIT = /^clear_/;

/** Each field that is refused, and why. */
export function refusedFields(body: Fields): { path: string[]; why: string }[] {
  const refused = REFUSED.filter(({ field, when }) => {
    const value = body[field];
    return value !== undefined && value !== null && (when?.(value) ?? true);
  }).map(({ field, why }) => ({ path: [field], why }));
  const edits = isObject(body.context_management) ? body.context_management.edits : undefined;
  if (edits != null && !(Array.isArray(edits) && edits.every(isFree))) {
    const path = ['context_management', 'edits'];
    refused.push({ path, why: 'an edit other than clear_* is billed beside the reply' });
  }
  return refused;
}

function isFree(edit: unknown): boolean {
  return isObject(edit) && typeof edit.type === 'string' && FREE_EDIT.test(edit.type);
}
