import { GatewayError } from '@gateway/errors';

export function missingParameter(param: string): GatewayError {
  return new GatewayError('missing_parameter', { param, detail: `${param} is required` });
}

/** Returns whether a required field counts as missing. */
export function isEmpty(value: unknown): boolean {
  return (
    value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
  );
}
