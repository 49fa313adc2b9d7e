import type { JsonObject } from '@gateway/upstream';
import type { UpstreamAddress } from './upstream-address';

/** A valid call that ranks documents by their relevance to a query. */
export interface RerankRequest {
  /** As the caller wrote it. */
  readonly model: string;
  readonly query: string;
  /** At least one; none is empty. */
  readonly documents: readonly string[];
  /** Absent: all. */
  readonly topN?: number;
  /** The reply repeats the documents. */
  readonly returnsDocuments: boolean;
  /** Documents are cut off after so many tokens; absent: as the provider does. */
  readonly maxTokensPerDocument?: number;
}

/** How a provider ranks. */
export interface RerankProtocol {
  address(): UpstreamAddress;
  /** @throws GatewayError `invalid_request` for anything that the provider lacks and the caller would miss */
  writeRequest(request: RerankRequest, upstreamModel: string): Buffer;
  /** @throws Error for a reply of another shape */
  readReply(reply: JsonObject): RerankReply;
}

export interface RerankReply {
  /** Empty if the provider has none. */
  readonly id: string;
  /** Most relevant first. */
  readonly results: readonly RankedDocument[];
  /** Undefined if the provider reports none, or no credible figure. */
  readonly inputTokens: number | undefined;
  /** As `inputTokens`. */
  readonly searchUnits: number | undefined;
}

export interface RankedDocument {
  /** Place of the document in the request. */
  readonly index: number;
  readonly score: number;
}
