import type { CallOutcome } from '@gateway/call-billing';
import { GatewayError } from '@gateway/errors';
import { NOT_SENT } from '@gateway/http-client';
import { failureOf } from '@gateway/upstream';
import { ReplyMemoryExhausted } from '../domain/reply-memory';

/** The client does not receive this status; it is for the request record. */
export const CLIENT_DISCONNECTED: CallOutcome = { status: 499, errorCode: '' };
export const ANSWERED: CallOutcome = { status: 200, errorCode: '' };

export const failedBy = ({ row, code }: GatewayError): CallOutcome => ({
  status: row.status,
  errorCode: code,
});

/** Whether the provider certainly charges nothing: it did not receive the complete call, or it refused it. */
export const isUncharged = (thrown: unknown): boolean =>
  (thrown as { code?: unknown }).code === NOT_SENT ||
  (thrown instanceof GatewayError && !(thrown instanceof ReplyMemoryExhausted)) ||
  failureOf(thrown).kind !== 'broken';
