import { GatewayError } from '@gateway/errors';

/** Format of ids: anything else is unknown. */
const ID = /^[\w-]{1,64}$/;

/** Throws `not_found` for an id that nothing can have. */
export function assertId(id: string): void {
  if (!ID.test(id)) throw new GatewayError('not_found');
}
