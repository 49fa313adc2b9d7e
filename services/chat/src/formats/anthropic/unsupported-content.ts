import { GatewayError } from '@gateway/errors';
import { type OptionalTool, ToolNotSupported } from '../../domain/tool-not-supported';

/** Receives the name of content that matters and that no other format can represent. */
export type OnUnsupported = (what: string, tool?: OptionalTool) => void;

/** @throws GatewayError `invalid_request` */
export function refuseUnsupported(what: string, tool?: OptionalTool): never {
  const detail = `${what}: not supported by this model`;
  throw tool ? new ToolNotSupported(tool, detail) : new GatewayError('invalid_request', { detail });
}
