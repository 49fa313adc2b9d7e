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
import { jsonBody } from './json-body';
import { brokenReply } from './refusal';
import { isSuccess, type JsonReply, sendJson } from './send-json';

/** A request to a provider, below its base URL. */
export interface WireOrder {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON with `Base64Text` in place of files. */
  readonly body: unknown;
}

/** The requests and replies of one video provider; they are sent in the same way for all. */
export interface VideoWire {
  readonly takesLinks: boolean;
  /** Our credential at this moment. */
  credential(): Readonly<Record<string, string>>;
  whyNot?(order: VideoOrder): string | undefined;
  toOrder(order: VideoOrder, requestId: string): WireOrder;
  /** @see VideoProvider.givenId */
  givenId?(order: VideoOrder, requestId: string): string;
  /**
   * Returns the task's id in a successful reply, undefined if it has none.
   * @throws MediaRefused, UpstreamError for a refusal with a success status
   */
  readAccepted(reply: Readonly<Record<string, unknown>>, order: VideoOrder): string | undefined;
  pathOf(task: UpstreamTask): string;
  /** @throws UpstreamError for an invalid report */
  readReport(reply: Readonly<Record<string, unknown>>): TaskReport;
  /** Returns what an error status means. */
  refused(reply: JsonReply): Error;
}

const MAX_REPLY_BYTES = 1024 * 1024;

export interface WireAccount {
  readonly id: string;
  readonly baseUrl: string;
}

/** A provider with a JSON API over HTTP. */
export function wireVideoProvider(
  { id, baseUrl }: WireAccount,
  wire: VideoWire,
  upstream: Upstream,
): VideoProvider {
  const urlOf = (path: string) => new URL(`${baseUrl.replace(/\/$/, '')}${path}`);
  const maxReplyBytes = MAX_REPLY_BYTES;

  async function submit(order: VideoOrder, call: ProviderCall): Promise<Submitted> {
    const { path, headers, body } = wire.toOrder(order, call.requestId);
    const sent = { ...wire.credential(), 'content-type': 'application/json', ...headers };
    const request = { method: 'POST', url: urlOf(path), headers: sent, body: jsonBody(body) } as const;
    const reply = await sendJson(upstream, { ...request, maxReplyBytes }, call);
    if (!isSuccess(reply.status)) throw wire.refused(reply);
    const upstreamId = wire.readAccepted(objectOf(reply.value), order);
    if (upstreamId === undefined) return { upstreamId };
    return { upstreamId, upstreamModel: order.upstreamModel };
  }

  async function poll(task: UpstreamTask, call: ProviderCall): Promise<TaskReport> {
    const request = { method: 'GET', url: urlOf(wire.pathOf(task)), headers: wire.credential() } as const;
    const reply = await sendJson(upstream, { ...request, maxReplyBytes }, call);
    if (reply.status === 404) return { state: 'unknown' };
    if (!isSuccess(reply.status)) throw wire.refused(reply);
    return wire.readReport(objectOf(reply.value));
  }

  return {
    id,
    takesLinks: wire.takesLinks,
    ...(wire.whyNot && { whyNot: wire.whyNot }),
    ...(wire.givenId && { givenId: wire.givenId }),
    submit,
    poll,
  };
}

function objectOf(value: unknown): Record<string, unknown> {
  if (isObject(value)) return value;
  throw brokenReply('a reply that is no object');
}
