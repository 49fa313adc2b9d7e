import { sign } from '../../domain/signer';
import { isObject } from '../json';

// Documented by Google for function calls that no Gemini model made.
const SKIP = 'skip_thought_signature_validator';

/** Returns the thought signature of a function call; the order of its arguments does not matter. */
export function signCall(name: string, args: unknown): string {
  return sign('call', `${name}\n${canonical(args)}`);
}

export function isSignature(signature: string, name: string, args: unknown): boolean {
  return signature === SKIP || signature === signCall(name, args);
}

/** Whether a valid signature is a Gemini model's own. */
export function isOwn(signature: string | null): boolean {
  return signature !== null && signature !== SKIP;
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(',')}}`;
}
