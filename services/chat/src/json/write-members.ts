import { GatewayError } from '@gateway/errors';

/**
 * A JSON object, written member by member; undefined ones are left out. V8's `JSON.stringify` has a quick way
 * that gives up at a value nested more than about ten deep, as schemas of tools are, and then all is written
 * once more: so only the member with that value is.
 * @throws GatewayError `invalid_request` for a value nested too deeply: parsing knows no limit of depth, writing does
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
