import { listOf, membersOf, textOf, UpstreamError } from '@gateway/upstream';
import { MediaRefused } from '../../domain/media-refused';
import type { Upstream } from '../../domain/upstream';
import type { GeneratedImage, ImageProvider, ProviderCall } from '../../images/rules/image-provider';
import { probeCredential } from '../credential-probe';
import { isResultAddress } from '../link-address';
import type { ProviderAccount } from '../provider-account';
import { brokenReply, refusedBy } from '../refusal';
import { isSuccess, type JsonReply, sendJson } from '../send-json';
import { fetchSample } from './fetch-sample';
import { fluxBody } from './flux-body';
import { pollFlux } from './flux-poll';
import { isOwnAddress } from './own-address';

export interface BflOptions {
  /** Time until the first poll of a task, and the maximum between two polls. */
  readonly firstWaitMs: number;
  readonly longestWaitMs: number;
}

const DEFAULT_WAITS: BflOptions = { firstWaitMs: 250, longestWaitMs: 2_000 };
const MAX_REPLY_BYTES = 1024 * 1024;
const TYPES = { jpeg: 'image/jpeg', png: 'image/png', webp: 'image/webp' };

/** FLUX by Black Forest Labs: an order creates a task, which is polled until it ends. */
export function bflImages(
  { id, baseUrl, apiKey }: ProviderAccount,
  upstream: Upstream,
  waits = DEFAULT_WAITS,
): ImageProvider {
  const base = new URL(baseUrl.replace(/\/+$/, ''));
  const key = { 'x-key': apiKey };

  /** From here on a task exists: no failure means that the order did not arrive. */
  const finish = async (task: JsonReply, acceptsLinks: boolean, mime: string, call: ProviderCall) => {
    const url = pollingUrl(task.value, base);
    const sample = await pollFlux({ upstream, url, headers: key, ...waits }, call);
    if (sample === undefined) return [];
    const link = new URL(sample);
    if (!isResultAddress(link, base)) throw brokenReply('a result at an invalid address');
    const image: GeneratedImage =
      acceptsLinks && !call.isResponseStored?.()
        ? { mime, url: sample }
        : await fetchSample(upstream, link, call, waits.firstWaitMs);
    return [image];
  };

  return {
    id,
    fetchesLinks: false,
    // Free, unlike an order (docs.bfl.ai, "Get the user's credits").
    probe: (call) =>
      probeCredential(upstream, { url: new URL(`${baseOf(base)}/v1/credits`), headers: key }, call),
    async generate(order, call) {
      const body = fluxBody(order);
      const url = new URL(`${baseOf(base)}/v1/${encodeURIComponent(order.upstreamModel)}`);
      const headers = { ...key, 'content-type': 'application/json' };
      const task = await sendJson(
        upstream,
        { method: 'POST', url, headers, body, maxReplyBytes: MAX_REPLY_BYTES },
        call,
      );
      if (!isSuccess(task.status)) throw refusedFlux(task);
      const mime = TYPES[order.format as keyof typeof TYPES] ?? TYPES.jpeg;
      try {
        const images = await finish(task, order.acceptsLinks, mime, call);
        return { images, ...inputMegapixelsOf(task.value) };
      } catch (error) {
        if (error instanceof UpstreamError && error.failure.kind !== 'status') {
          throw new UpstreamError({ kind: 'broken', cause: error });
        }
        throw error;
      }
    },
  };
}

const baseOf = (base: URL): string => base.href.replace(/\/+$/, '');

/** Megapixels as the provider counted them; absent without a plausible figure. */
function inputMegapixelsOf(value: unknown) {
  const { input_mp: counted } = membersOf(value);
  if (typeof counted !== 'number' || !Number.isFinite(counted) || counted < 0) return undefined;
  return { inputMegapixels: counted };
}

/** Success without an id: the task can't be polled. */
function pollingUrl(value: unknown, base: URL): URL {
  const { id, polling_url: link } = membersOf(value);
  if (textOf(id) === '') throw new UpstreamError({ kind: 'status', status: 502 });
  const url = URL.canParse(textOf(link))
    ? new URL(textOf(link))
    : new URL(`${baseOf(base)}/v1/get_result?id=${encodeURIComponent(textOf(id))}`);
  if (!isOwnAddress(url, base)) throw brokenReply('a polling URL on another host');
  return url;
}

/** Errors have FastAPI's format: `detail` is a text, or a list of faults with their locations. */
function refusedFlux({ status, headers, value }: JsonReply): Error {
  const { detail } = membersOf(value);
  const [fault] = listOf(detail).map(membersOf);
  const field = textOf(listOf(fault?.loc).at(-1));
  const message = fault ? `${field}: ${textOf(fault.msg)}` : detail;
  if (status === 422 && SHAPE_FIELDS.has(field)) return new MediaRefused(`the provider refused ${field}`);
  return refusedBy({ status, headers, message });
}

/** Values that a catalog may list by mistake. */
const SHAPE_FIELDS = new Set(['width', 'height', 'aspect_ratio', 'output_format']);
