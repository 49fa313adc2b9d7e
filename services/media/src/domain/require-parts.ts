import { GatewayError } from '@gateway/errors';

/**
 * Checks the parts that every form must have. A missing or misnamed part is a malformed form, unlike a missing field of
 * a JSON body. An empty `model` passes: it is `invalid_model`, as it is in JSON.
 * @throws GatewayError `invalid_request`
 */
export function requireParts(fields: ReadonlyMap<string, string>): void {
  if (!fields.has('model')) throw missingPart('model', 'is missing');
  if (!fields.has('prompt')) throw missingPart('prompt', 'is missing');
  if (fields.get('prompt') === '') throw missingPart('prompt', 'is empty');
}

const missingPart = (name: string, fault: string) =>
  new GatewayError('invalid_request', { detail: `${name}: the part ${fault}` });
