import { GatewayError } from '@gateway/errors';

/**
 * Serializes a JSON object member by member; undefined members are omitted. V8's `JSON.stringify` has a fast path that
 * gives up at a value nested more than about ten deep, as schemas of tools are, and then serializes everything again; this
 * way only the member with that value is.
 * @throws GatewayError `invalid_request` for a value nested too deeply: parsing has no depth limit, serializing has one
 */
export function writeMembers(members: object): string {
  let json = '';
  for (const [key, value] of Object.entries(members)) {
    const written = toJson(value);
    if (written !== undefined) json += `${json === '' ? '' : ','}${JSON.stringify(key)}:${written}`;
  }
  return `{${json}}`;
}

function toJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (cause) {
    throw new GatewayError('invalid_request', { cause, detail: 'nested too deeply' });
  }
}
