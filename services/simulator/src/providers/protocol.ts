import type { OutgoingHttpHeaders } from 'node:http';
import type { Call } from '../http/call';
import type { ProviderError } from './provider-error';

export interface Identity {
  /** 32 hex digits. */
  readonly id: string;
  readonly createdSeconds: number;
}

/** A provider's authentication, headers and errors. */
export interface ProviderProtocol {
  readonly provider: string;
  /** HTTP status of an overloaded provider. */
  readonly overloadedStatus: number;
  /** An `error` with a status below 300 is sent as a refusal in a reply that looks successful. */
  readonly errorsWithStatus200?: boolean;
  /** Runs before the body is read. @throws ProviderError */
  authorize(call: Call): void;
  headers(id: string, retryAfterSeconds?: number): OutgoingHttpHeaders;
  /** Returns the provider's usual error for a status. */
  errorOfStatus(status: number, message?: string, retryAfterSeconds?: number): ProviderError;
  /** Absent if the provider reports it in a reply with status 200. */
  contentPolicy?(): ProviderError;
}
