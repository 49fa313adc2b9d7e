import type { StorageServiceClient } from '@gateway/proto/generated/gateway/storage/v1/StorageService';
import { callUnary } from '@gateway/rpc';

const TIMEOUT_MS = 5_000;

interface Reader {
  readonly accountId: string;
  readonly onlyKeyId?: string;
}

interface WantedResponse {
  readonly id: string;
  readonly withInput: boolean;
}

interface StoredContent {
  readonly id: string;
  readonly input: Buffer;
  readonly response: Buffer;
}

interface NewResponse {
  readonly id: string;
  readonly keyId: string;
  readonly previousId: string | undefined;
  readonly input: Buffer;
  readonly response: Buffer;
}

/** Calls storage for the responses of an account. Each call has a deadline of 5 s. */
export class ResponseStorageClient {
  readonly #client: StorageServiceClient;

  constructor(client: StorageServiceClient) {
    this.#client = client;
  }

  /** @throws GatewayError `not_found` if one of them is not stored; `invalid_request` if they are too many */
  find(
    { accountId, onlyKeyId = '' }: Reader,
    {
      lastId = '',
      otherIds,
      stores,
    }: { lastId?: string | undefined; otherIds: readonly string[]; stores: boolean },
  ) {
    const client = this.#client;
    const request = { accountId, lastId, otherIds: [...otherIds], onlyKeyId, stores };
    return callUnary(client, client.FindResponses, request, { timeoutMs: TIMEOUT_MS });
  }

  /** Returns the content of the responses, in their order. @throws GatewayError `not_found` if one of them is not stored */
  async load(
    { accountId, onlyKeyId = '' }: Reader,
    wanted: readonly WantedResponse[],
  ): Promise<StoredContent[]> {
    const client = this.#client;
    const loaded: StoredContent[] = [];
    while (loaded.length < wanted.length) {
      const request = { accountId, wanted: wanted.slice(loaded.length), onlyKeyId };
      const page = await callUnary(client, client.LoadResponses, request, { timeoutMs: TIMEOUT_MS });
      if (page.responses.length === 0) throw new Error('storage returned no response');
      loaded.push(...page.responses);
    }
    return loaded;
  }

  async queue(accountId: string, response: NewResponse & { body: Buffer }): Promise<void> {
    const client = this.#client;
    const request = { accountId, ...response, previousId: response.previousId ?? '' };
    await callUnary(client, client.QueueResponse, request, { timeoutMs: TIMEOUT_MS });
  }

  async save(accountId: string, response: NewResponse): Promise<void> {
    const client = this.#client;
    const request = { accountId, ...response, previousId: response.previousId ?? '' };
    await callUnary(client, client.SaveResponse, request, { timeoutMs: TIMEOUT_MS });
  }
}
