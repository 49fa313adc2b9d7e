import { GatewayError } from '@gateway/errors';

export function missingParameter(param: string): GatewayError {
  return new GatewayError('missing_parameter', { param, detail: `${param} is required` });
}

/** What counts as missing for a required field. */
export function isEmpty(value: unknown): boolean {
  return (
    value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
  );
}
