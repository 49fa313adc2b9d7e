import type { RedisAddress } from './redis-settings';

export const SLOTS = 16_384;

/** Consecutive slots of one primary. */
export interface SlotRange {
  readonly from: number;
  readonly to: number;
  readonly primary: RedisAddress;
}

/**
 * Reads the reply of CLUSTER SLOTS: per range its first and last slot, the primary, and its replicas.
 * @param askedHost the host of a node that does not know its own
 * @throws if the reply is not of that form
 */
export function parseSlots(reply: unknown, askedHost: string): SlotRange[] {
  if (!Array.isArray(reply)) throw new Error('CLUSTER SLOTS: not a list');
  return reply.map((range: unknown) => {
    const [from, to, primary] = Array.isArray(range) ? range : [];
    const [host, port] = Array.isArray(primary) ? primary : [];
    if (!isSlot(from) || !isSlot(to) || !Number.isInteger(port))
      throw new Error('CLUSTER SLOTS: not a range');
    return {
      from,
      to,
      primary: { host: host && host !== '?' ? String(host) : askedHost, port: Number(port) },
    };
  });
}

const isSlot = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) < SLOTS;
