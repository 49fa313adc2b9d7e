/** Stored responses, of one account at a time. */
export interface ResponseStorage {
  /**
   * Returns the responses of a conversation, oldest first, and of others.
   * @throws GatewayError `not_found` if one of them is not stored for this account
   */
  find(accountId: string, wanted: FindRequest): Promise<FoundResponses>;
  /** @throws GatewayError `not_found` */
  load(accountId: string, wanted: readonly { id: string; withInput: boolean }[]): Promise<LoadedResponse[]>;
  /** Stores a response that is to be made in the background. @throws GatewayError */
  queue(accountId: string, response: ResponseToQueue): Promise<void>;
  /** @throws GatewayError */
  save(accountId: string, response: ResponseToSave): Promise<void>;
}

export interface FindRequest {
  /** The last response of the conversation. */
  readonly lastId?: string | undefined;
  readonly otherIds: readonly string[];
}

export interface FoundResponses {
  readonly conversation: readonly FoundResponse[];
  readonly others: readonly FoundResponse[];
}

/** Sizes of JSON. */
export interface FoundResponse {
  readonly id: string;
  readonly inputBytes: number;
  readonly responseBytes: number;
}

export interface LoadedResponse {
  readonly id: string;
  /** JSON of its input items; empty if they are not wanted. */
  readonly input: Buffer;
  /** JSON. */
  readonly response: Buffer;
}

export interface ResponseToSave {
  readonly id: string;
  readonly previousId: string | undefined;
  readonly input: Buffer;
  readonly response: Buffer;
}

export interface ResponseToQueue extends ResponseToSave {
  readonly keyId: string;
  /** Of the call. */
  readonly body: Buffer;
}
