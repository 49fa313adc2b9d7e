import { GatewayError } from '@gateway/errors';

/** Receives the name of content that matters and that no other format can represent. */
export type OnUnsupported = (what: string) => void;

/** @throws GatewayError `invalid_request` */
export function refuseUnsupported(what: string): never {
  throw new GatewayError('invalid_request', { detail: `${what}: not supported by this model` });
}
