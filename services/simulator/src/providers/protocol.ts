import type { OutgoingHttpHeaders } from 'node:http';
import type { Call } from '../http/call';
import type { ProviderError } from './provider-error';

export interface Identity {
  /** 32 hex digits. */
  readonly id: string;
  readonly createdSeconds: number;
}

/** How a provider lets in and refuses, whatever is asked of it. */
export interface ProviderProtocol {
  readonly provider: string;
  /** HTTP status of "try again later". */
  readonly overloadedStatus: number;
  /** True where an `error` with a status below 300 is a refusal in a reply that looks like success. */
  readonly errorsWithStatus200?: boolean;
  /** @throws ProviderError, before the body is read */
  authorize(call: Call): void;
  headers(id: string, retryAfterSeconds?: number): OutgoingHttpHeaders;
  /** What the provider usually says with a status. */
  errorOfStatus(status: number, message?: string, retryAfterSeconds?: number): ProviderError;
  /** Absent where the provider says it in a reply of status 200. */
  contentPolicy?(): ProviderError;
}
