import { GatewayError } from '@gateway/errors';
import { MODEL_TYPES, type ModelType } from '@gateway/models';

/** Returns the type that the query filters by. @throws GatewayError `invalid_request` for an unknown type */
export function parseModelType(query: string): ModelType | undefined {
  const given = new URLSearchParams(query).get('type');
  if (given === null) return undefined;
  const type = MODEL_TYPES.find((known) => known === given);
  if (!type)
    throw new GatewayError('invalid_request', { detail: `type: must be one of ${MODEL_TYPES.join(', ')}` });
  return type;
}
