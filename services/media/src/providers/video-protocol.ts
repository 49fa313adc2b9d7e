import { isObject } from '@gateway/upstream';
import type { Upstream } from '../domain/upstream';
import type { ProviderCall } from '../images/rules/image-provider';
import type {
  Submitted,
  TaskReport,
  UpstreamTask,
  VideoOrder,
  VideoProvider,
} from '../videos/rules/video-provider';
import { probeCredential } from './credential-probe';
import { jsonBody } from './json-body';
import { brokenReply } from './refusal';
import { isSuccess, type JsonReply, sendJson } from './send-json';

/** A request to a provider, below its base URL. */
export interface SubmitRequest {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON with `Base64Text` in place of files. */
  readonly body: unknown;
}

/** The requests and replies of one video provider; they are sent in the same way for all. */
export interface VideoProtocol {
  readonly fetchesLinks: boolean;
  /** Our credential at this moment. */
  credential(): Readonly<Record<string, string>>;
  unsupportedReason?(order: VideoOrder): string | undefined;
  submitRequest(order: VideoOrder, requestId: string): SubmitRequest;
  /** @see VideoProvider.externalTaskId */
  externalTaskId?(order: VideoOrder, requestId: string): string;
  /**
   * Returns the task's id in a successful reply, undefined if it has none.
   * @throws MediaRefused, UpstreamError for a refusal with a success status
   */
  readTaskId(reply: Readonly<Record<string, unknown>>, order: VideoOrder): string | undefined;
  pollPath(task: UpstreamTask): string;
  /** @throws UpstreamError for an invalid report */
  readTaskReport(reply: Readonly<Record<string, unknown>>): TaskReport;
  /** Returns what an error status means. */
  refused(reply: JsonReply): Error;
  /** How the credential is checked: by the status of a task that does not exist. Absent: it can't be. */
  readonly probe?: {
    readonly upstreamId: string;
    /** Whether a reply reports a problem of our account, whatever its status is. */
    isAccountProblem(reply: unknown): boolean;
  };
}

/** The id of a task that no provider has. */
export const NO_TASK = '00000000-0000-0000-0000-000000000000';

const MAX_REPLY_BYTES = 1024 * 1024;

export interface VideoAccount {
  readonly id: string;
  readonly baseUrl: string;
}

/** A provider with a JSON API over HTTP. */
export function createVideoProvider(
  { id, baseUrl }: VideoAccount,
  protocol: VideoProtocol,
  upstream: Upstream,
): VideoProvider {
  const urlOf = (path: string) => new URL(`${baseUrl.replace(/\/$/, '')}${path}`);
  const maxReplyBytes = MAX_REPLY_BYTES;

  async function submit(order: VideoOrder, call: ProviderCall): Promise<Submitted> {
    const { path, headers, body } = protocol.submitRequest(order, call.requestId);
    const sent = { ...protocol.credential(), 'content-type': 'application/json', ...headers };
    const request = { method: 'POST', url: urlOf(path), headers: sent, body: jsonBody(body) } as const;
    const reply = await sendJson(upstream, { ...request, maxReplyBytes }, call);
    if (!isSuccess(reply.status)) throw protocol.refused(reply);
    const upstreamId = protocol.readTaskId(objectOf(reply.value), order);
    if (upstreamId === undefined) return { upstreamId };
    return { upstreamId, upstreamModel: order.upstreamModel };
  }

  async function poll(task: UpstreamTask, call: ProviderCall): Promise<TaskReport> {
    const request = {
      method: 'GET',
      url: urlOf(protocol.pollPath(task)),
      headers: protocol.credential(),
    } as const;
    const reply = await sendJson(upstream, { ...request, maxReplyBytes }, call);
    if (reply.status === 404) return { state: 'unknown' };
    if (!isSuccess(reply.status)) throw protocol.refused(reply);
    return protocol.readTaskReport(objectOf(reply.value));
  }

  function probe(call: ProviderCall): Promise<void> {
    const { upstreamId, isAccountProblem } = protocol.probe!;
    const url = urlOf(protocol.pollPath({ upstreamId, upstreamModel: '' }));
    return probeCredential(upstream, { url, headers: protocol.credential(), isAccountProblem }, call);
  }

  return {
    id,
    fetchesLinks: protocol.fetchesLinks,
    ...(protocol.unsupportedReason && { unsupportedReason: protocol.unsupportedReason }),
    ...(protocol.externalTaskId && { externalTaskId: protocol.externalTaskId }),
    submit,
    poll,
    ...(protocol.probe && { probe }),
  };
}

function objectOf(value: unknown): Record<string, unknown> {
  if (isObject(value)) return value;
  throw brokenReply('a reply that is no object');
}
