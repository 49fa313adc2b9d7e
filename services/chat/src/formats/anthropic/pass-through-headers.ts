import { GatewayError } from '@gateway/errors';

const VERSION = /^[0-9A-Za-z.-]{1,64}$/;
const BETAS = /^[0-9A-Za-z.,_ -]{1,2000}$/;

/**
 * Betas that let a call exceed the bounds of its model's catalog entry: a longer context at another price, or more output.
 * Models that include these features need no beta.
 */
const UNBOUNDED = /^(context-1m|output-)/i;

/** Returns the caller's headers that are passed to Anthropic. @throws GatewayError `invalid_request` */
export function passThroughHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const version = headers['anthropic-version'];
  if (version !== undefined && !VERSION.test(version)) throw malformed('anthropic-version');
  const sent = headers['anthropic-beta'];
  if (sent && !BETAS.test(sent)) throw malformed('anthropic-beta');
  const betas = (sent ?? '')
    .split(',')
    .map((beta) => beta.trim())
    .filter((beta) => beta && !UNBOUNDED.test(beta));
  return {
    ...(version !== undefined && { 'anthropic-version': version }),
    ...(betas.length > 0 && { 'anthropic-beta': betas.join(',') }),
  };
}

function malformed(header: string): GatewayError {
  return new GatewayError('invalid_request', { detail: `${header}: malformed header` });
}
