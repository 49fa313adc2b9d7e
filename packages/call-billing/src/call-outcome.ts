import type { GatewayError } from '@gateway/errors';

/** The end of a call as its client saw it. */
export interface CallOutcome {
  /** The HTTP status that the client received. */
  readonly status: number;
  /** Empty: the call was answered. */
  readonly errorCode: string;
}

export const ANSWERED: CallOutcome = { status: 200, errorCode: '' };
/** The client does not receive this status; it is for the request record. */
export const CLIENT_DISCONNECTED: CallOutcome = { status: 499, errorCode: '' };

export const failedBy = ({ row, code }: GatewayError): CallOutcome => ({
  status: row.status,
  errorCode: code,
});
