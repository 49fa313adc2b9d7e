import { GatewayError } from '@gateway/errors';
import { parseJsonObject } from '@gateway/json-body';
import type { BatchProblem } from './batch';

/** A line of the input as OpenAI's API has it. */
export interface InputLine {
  readonly customId: string;
  /** The bytes of the call's body. */
  readonly body: Buffer;
  /** The call asks for a stream, which a batch can't have. */
  readonly streams: boolean;
}

/** As long as the body of a call may be by default (EDGE_MAX_BODY_BYTES). */
export const MAX_LINE_BYTES = 32 * 1024 ** 2;
export const MAX_LINE_VALUES = 1_000_000;
const MAX_CUSTOM_ID = 512;
const MEMBERS: ReadonlySet<string> = new Set(['custom_id', 'method', 'url', 'body']);

/** @throws InvalidLine */
export function parseInputLine(bytes: Buffer, endpoint: string): InputLine {
  const { value, members } = parseLine(bytes);
  const { custom_id: customId, method, url, body } = value;
  // Problems are stored in clear: they repeat nothing of the line.
  if (!Object.keys(value).every((name) => MEMBERS.has(name)))
    throw new InvalidLine('unknown_parameter', `a field other than ${[...MEMBERS].join(', ')}`);
  if (typeof customId !== 'string' || customId === '' || customId.length > MAX_CUSTOM_ID)
    throw new InvalidLine(
      'invalid_custom_id',
      `not a string of 1 to ${MAX_CUSTOM_ID} characters`,
      'custom_id',
    );
  if (method !== 'POST') throw new InvalidLine('invalid_method', 'not POST', 'method');
  if (url !== endpoint) throw new InvalidLine('mismatched_url', "not the batch's endpoint", 'url');
  if (!isObject(body)) throw new InvalidLine('invalid_body', 'not an object', 'body');
  const place = members.find(({ key }) => key === 'body');
  return {
    customId,
    body: bytes.subarray(place?.valueStart, place?.valueEnd),
    streams: body.stream === true,
  };
}

/** A line that can't be run: its batch fails. */
export class InvalidLine extends Error {
  readonly code: string;
  readonly param: string | null;

  constructor(code: string, message: string, param: string | null = null) {
    super(message);
    this.code = code;
    this.param = param;
  }

  at(line: number): BatchProblem {
    return { code: this.code, message: this.message, line, param: this.param };
  }
}

function parseLine(bytes: Buffer) {
  try {
    return parseJsonObject(bytes, { maxBytes: MAX_LINE_BYTES, maxValues: MAX_LINE_VALUES });
  } catch (error) {
    throw new InvalidLine(
      'invalid_json_line',
      GatewayError.from(error).detail ?? 'the line is not valid JSON',
    );
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
