import { sign } from '../../domain/signer';
import { isObject } from '../json';

// Documented by Google for function calls that no Gemini model made.
const SKIP = 'skip_thought_signature_validator';

/** Returns the thought signature of a function call; the order of its arguments does not matter. */
export function signCall(name: string, args: unknown): string {
  return sign('call', `${name}\n${canonical(args)}`);
}

export function isSignature(signature: string, name: string, args: unknown): boolean {
  return isSkip(signature) || sameBytes(signature, signCall(name, args));
}

const isSkip = (signature: string): boolean => sameBytes(signature, SKIP);

/** Clients send signatures back in either alphabet of base64, with or without padding. */
const sameBytes = (one: string, other: string): boolean => urlSafe(one) === urlSafe(other);
const urlSafe = (base64: string): string =>
  base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');

/** Whether a valid signature is a Gemini model's own. */
export function isOwn(signature: string | null): boolean {
  return signature !== null && !isSkip(signature);
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(',')}}`;
}
