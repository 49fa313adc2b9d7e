import { isUtf8 } from 'node:buffer';
import { GatewayError } from '@gateway/errors';
import { type JsonMember, topLevelMembers } from './json-members';
import { refuseExcess, type ValueBounds } from './refuse-excess';

export interface ParsedObject {
  readonly value: Record<string, unknown>;
  readonly members: readonly JsonMember[];
}

export interface ObjectBounds extends ValueBounds {
  readonly maxBytes?: number;
}

/**
 * Parses a request body.
 * @throws GatewayError `invalid_request` unless the bytes are one JSON object in UTF-8 within the bounds. Also for a repeated key
 *   at any depth: the provider might use a different one of the two values than the gateway checked
 */
export function parseJsonObject(bytes: Buffer, bounds: ObjectBounds): ParsedObject {
  const { maxBytes } = bounds;
  if (maxBytes !== undefined && bytes.length > maxBytes) {
    throw new GatewayError('invalid_request', { detail: `the body is longer than ${maxBytes} bytes` });
  }
  if (!isUtf8(bytes)) throw new GatewayError('invalid_request', { detail: 'the body is not valid UTF-8' });
  refuseExcess([bytes], bounds, 'the body');
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new GatewayError('invalid_request', { detail: 'the body is not valid JSON' });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new GatewayError('invalid_request', { detail: 'the body is not a JSON object' });
  }
  const members = topLevelMembers(bytes);
  const membersInBytes = members.reduce((sum, { innerMembers }) => sum + innerMembers, members.length);
  if (countMembers(value) < membersInBytes) {
    throw new GatewayError('invalid_request', { detail: 'the body has a repeated key' });
  }
  return { value: value as Record<string, unknown>, members };
}

/** Counts the members of all objects in the value. Recursion is safe because the depth has been checked. */
function countMembers(value: object): number {
  let members = 0;
  if (Array.isArray(value)) {
    for (const entry of value)
      if (typeof entry === 'object' && entry !== null) members += countMembers(entry);
    return members;
  }
  // For objects with very many members, iterating over keys is much faster than Object.values.
  for (const key in value) {
    const inner = (value as Record<string, unknown>)[key];
    members++;
    if (typeof inner === 'object' && inner !== null) members += countMembers(inner);
  }
  return members;
}
