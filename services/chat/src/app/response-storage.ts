/** Stored responses, of one account at a time. */
export interface ResponseStorage {
  /**
   * Returns the responses of a conversation, oldest first, and of others.
   * @throws GatewayError `not_found` if one of them is not stored for this account; `invalid_request` if the account can't store
   *   what `stores` requires
   */
  find(reader: ResponseReader, wanted: FindRequest): Promise<FoundResponses>;
  /** @throws GatewayError `not_found` */
  load(
    reader: ResponseReader,
    wanted: readonly { id: string; withInput: boolean }[],
  ): Promise<LoadedResponse[]>;
  /** Stores a response that is to be made in the background. @throws GatewayError */
  queue(accountId: string, response: ResponseToQueue): Promise<void>;
  /** @throws GatewayError */
  save(accountId: string, response: ResponseToSave): Promise<void>;
}

/** An account, or one key of it. */
export interface ResponseReader {
  readonly accountId: string;
  /** Only responses that were stored with this key; absent: those of the whole account. */
  readonly onlyKeyId?: string;
}

export interface FindRequest {
  /** The last response of the conversation. */
  readonly lastId?: string | undefined;
  readonly otherIds: readonly string[];
  /** The call's response must be stored: refused if the account has stored as much as it may. */
  readonly stores: boolean;
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
  readonly keyId: string;
  readonly previousId: string | undefined;
  readonly input: Buffer;
  readonly response: Buffer;
}

export interface ResponseToQueue extends ResponseToSave {
  /** Of the call. */
  readonly body: Buffer;
}
