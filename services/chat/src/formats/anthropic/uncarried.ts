import { GatewayError } from '@gateway/errors';

/** Told of what another provider can't be told and matters. */
export type Uncarried = (what: string) => void;

/** @throws GatewayError `invalid_request` */
export function refuseUncarried(what: string): never {
  throw new GatewayError('invalid_request', { detail: `${what}: not offered with this model` });
}
