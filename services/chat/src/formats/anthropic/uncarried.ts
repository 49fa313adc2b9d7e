import { GatewayError } from '@gateway/errors';

/** Receives the name of content that matters and that no other format can represent. */
export type Uncarried = (what: string) => void;

/** @throws GatewayError `invalid_request` */
export function refuseUncarried(what: string): never {
  throw new GatewayError('invalid_request', { detail: `${what}: not supported by this model` });
}
