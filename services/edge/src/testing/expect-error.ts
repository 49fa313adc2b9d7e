import { ERROR_TABLE, type ErrorCode } from '@gateway/errors';
import { expect } from '@jest/globals';
import { type ParsedReply, parseReply } from './raw-client';

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Checks that the reply matches the error table's row for the code. */
export function expectError(reply: ParsedReply, code: ErrorCode): void {
  const { status, type, message } = ERROR_TABLE[code];
  const body = JSON.parse(reply.body);
  expect({ ...body.error, status: reply.status }).toMatchObject({ status, type, code, message });
  expect(Object.keys(body)).toEqual(['error']);
  expect(reply.headers['content-type']).toBe('application/json');
  expect(reply.headers['x-request-id']).toMatch(UUID_V7);
  expect(reply.headers['request-id']).toBe(reply.headers['x-request-id']);
  expect(reply.headers).not.toHaveProperty('x-powered-by');
  expect(reply.body).not.toMatch(/node_modules|\.js:|\.ts:/);
}

export function expectRawError(text: string, code: ErrorCode): void {
  expectError(parseReply(text), code);
}

export async function expectFetchError(reply: Response, code: ErrorCode): Promise<void> {
  const headers = Object.fromEntries(reply.headers);
  expectError({ status: reply.status, headers, body: await reply.text() }, code);
}
