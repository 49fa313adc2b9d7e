import { GatewayError } from '@gateway/errors';
import { MODEL_TYPES, type ModelType } from '@gateway/models';

/** Returns what the query filters models by. @throws GatewayError `invalid_request` for a value that is no type */
export function parseModelType(query: string): ModelType | undefined {
  const given = new URLSearchParams(query).get('type');
  if (given === null) return undefined;
  const type = MODEL_TYPES.find((known) => known === given);
  if (!type)
    throw new GatewayError('invalid_request', { detail: `type: not one of ${MODEL_TYPES.join(', ')}` });
  return type;
}
