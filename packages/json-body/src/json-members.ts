import { GatewayError } from '@gateway/errors';
import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  skipSpace,
  stringEnd,
  trimSpace,
} from './json-bytes';

/** Position of a member of a JSON object in its bytes. */
export interface JsonMember {
  readonly key: string;
  /** Index of the opening quote of the key. */
  readonly start: number;
  readonly valueStart: number;
  readonly valueEnd: number;
  /** Members of all objects in the value, at any depth. */
  readonly innerMembers: number;
  /** The value is or contains an integer that may be too long for a number. */
  readonly hasLongInteger: boolean;
}

const POINT = 0x2e;
/** Both the largest exact integer and the smallest inexact one have this number of digits. */
const LONG_DIGITS = 16;
/** Far deeper than JSON schemas and tool arguments are; recursive code can still process it without a stack overflow. */
const MAX_DEPTH = 500;
/** Far more than any format has fields. */
const MAX_TOP_MEMBERS = 1_000;

/**
 * Returns the top-level members of a JSON object, so that a value can be replaced without serializing the others. The
 * bytes must already have been parsed as a JSON object: the syntax is not checked again.
 * @throws GatewayError `invalid_request` for a value that is nested too deeply, and for too many members
 */
export function topLevelMembers(json: Buffer): JsonMember[] {
  return membersFrom(json, json.indexOf(OPEN_BRACE) + 1).members;
}

/**
 * Returns a top-level member that is written late, such as a reply's usage: a search from the end skips most of the object.
 * Undefined if the member is not found that way.
 * @throws GatewayError as `topLevelMembers`
 */
export function lateMember(json: Buffer, key: string): JsonMember | undefined {
  const start = json.lastIndexOf(JSON.stringify(key));
  if (start < 1 || json[start - 1] === BACKSLASH) return undefined;
  if (json[skipSpace(json, stringEnd(json, start))] !== COLON) return undefined;
  const { members, end } = membersFrom(json, start);
  // A nested object's brace would not be the last.
  return trimSpace(json, json.length) === end + 1 ? members[0] : undefined;
}

/** `end` is the index of the brace after the last member. */
function membersFrom(json: Buffer, from: number): { members: JsonMember[]; end: number } {
  const members: JsonMember[] = [];
  let at = from;
  for (;;) {
    const start = json.indexOf(QUOTE, at);
    if (start === -1) return { members, end: json.length };
    const keyEnd = stringEnd(json, start);
    const valueStart = skipSpace(json, json.indexOf(COLON, keyEnd) + 1);
    const { next, innerMembers, hasLongInteger } = readValue(json, valueStart);
    const key = keyOf(json.toString('utf8', start + 1, keyEnd - 1));
    if (members.length === MAX_TOP_MEMBERS) {
      throw new GatewayError('invalid_request', { detail: 'the body has too many fields' });
    }
    members.push({ key, start, valueStart, valueEnd: trimSpace(json, next), innerMembers, hasLongInteger });
    if (json[next] !== COMMA) return { members, end: next };
    at = next + 1;
  }
}

/**
 * Returns a copy of the object with the given values added or replaced; a member whose value is undefined is removed, in which
 * case only the white space between members changes.
 */
export function withMembers(
  json: Buffer,
  members: readonly JsonMember[],
  values: ReadonlyMap<string, string | undefined>,
): Buffer {
  const removesMember = members.some(({ key }) => values.has(key) && values.get(key) === undefined);
  return removesMember ? rebuild(json, members, values) : splice(json, members, values);
}

type Values = ReadonlyMap<string, string | undefined>;

/** Copies the bytes between the replaced values unchanged. */
function splice(json: Buffer, members: readonly JsonMember[], values: Values): Buffer {
  const pieces: Buffer[] = [];
  let at = 0;
  for (const member of members) {
    const value = values.get(member.key);
    if (value === undefined) continue;
    pieces.push(json.subarray(at, member.valueStart), Buffer.from(value));
    at = member.valueEnd;
  }
  const close = json.lastIndexOf(CLOSE_BRACE);
  pieces.push(json.subarray(at, close));
  for (const [index, added] of addedMembers(members, values).entries()) {
    pieces.push(Buffer.from(index > 0 || members.length > 0 ? `,${added}` : added));
  }
  pieces.push(json.subarray(close));
  return Buffer.concat(pieces);
}

/** Writes the object again from its remaining members. */
function rebuild(json: Buffer, members: readonly JsonMember[], values: Values): Buffer {
  const kept = members
    .filter(({ key }) => !values.has(key) || values.get(key) !== undefined)
    .map(({ key, start, valueStart, valueEnd }) => {
      const value = values.get(key);
      return value === undefined
        ? json.subarray(start, valueEnd)
        : Buffer.concat([json.subarray(start, valueStart), Buffer.from(value)]);
    });
  const all = [...kept, ...addedMembers(members, values).map((added) => Buffer.from(added))];
  const pieces = all.flatMap((member, index) => (index === 0 ? [member] : [Buffer.from(','), member]));
  return Buffer.concat([Buffer.from('{'), ...pieces, Buffer.from('}')]);
}

/** Returns the members that the object does not have yet, as JSON. */
function addedMembers(members: readonly JsonMember[], values: Values): string[] {
  const present = new Set(members.map(({ key }) => key));
  return [...values].flatMap(([key, value]) =>
    value === undefined || present.has(key) ? [] : [`${JSON.stringify(key)}:${value}`],
  );
}

/** Decodes the few keys that have escapes: parsing each would cost more than the scan. */
const keyOf = (text: string): string => (text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text);

interface ReadValue {
  readonly next: number;
  readonly innerMembers: number;
  readonly hasLongInteger: boolean;
}

/** Scans to the comma or brace that follows the value. Inner members are counted by their colons. */
function readValue(json: Buffer, start: number): ReadValue {
  let depth = 0;
  let innerMembers = 0;
  let hasLongInteger = false;
  let at = start;
  for (; at < json.length; at++) {
    const byte = json[at]!;
    if (byte === QUOTE) {
      at = stringEnd(json, at) - 1;
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      if (++depth === MAX_DEPTH) {
        throw new GatewayError('invalid_request', { detail: 'the body is nested too deeply' });
      }
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      if (depth === 0) break;
      depth--;
    } else if (byte === COMMA) {
      if (depth === 0) break;
    } else if (byte === COLON) {
      innerMembers++;
    } else if (isDigit(byte)) {
      const end = digitsEnd(json, at);
      if (end - at >= LONG_DIGITS && json[at - 1] !== POINT) hasLongInteger = true;
      at = end - 1;
    }
  }
  return { next: at, innerMembers, hasLongInteger };
}

function digitsEnd(json: Buffer, start: number): number {
  let end = start + 1;
  while (isDigit(json[end])) end++;
  return end;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}
