import { isEmpty, missingParameter } from './missing-parameter';

/**
 * Checks that the required fields are there. Fields that are null, an empty text or an empty list are missing, except an empty
 * `model`, which is `invalid_model`.
 * @throws GatewayError `missing_parameter` for the first that is missing
 */
export function requireFields(body: Readonly<Record<string, unknown>>, names: readonly string[]): void {
  const isMissing = (name: string) => (name === 'model' ? body.model === undefined : isEmpty(body[name]));
  const missing = names.find(isMissing);
  if (missing !== undefined) throw missingParameter(missing);
}
