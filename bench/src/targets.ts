import type { MeteredModel } from './gateway/check-money';
import type { GatewayUnderTest } from './gateway/gateway-under-test';
import type { HttpJob } from './load/load-contract';
import type { BareProxy } from './peers/start-bare-proxy';
import { oneProcess, type ProcessGroup } from './procfs/process-group';
import type { Scenario } from './scenarios';

export type TargetName = 'bare' | 'gateway';

export interface Target {
  readonly name: TargetName;
  readonly title: string;
  /** Processes whose CPU counts as the target's. */
  readonly processes: readonly ProcessGroup[];
  job(scenario: Scenario): HttpJob;
}

/** Differs from the model that is called through the bare proxy, so that the simulator meters them separately. */
export const GATEWAY_MODEL: MeteredModel = { slug: 'sim/chat', upstreamModel: 'chat' };
const BARE_MODEL = 'bare';

export function bareTarget(proxy: BareProxy): Target {
  return {
    name: 'bare',
    title: 'bare proxy',
    processes: [oneProcess('bare proxy', () => proxy.pid)],
    job: (scenario) => job(scenario, `${proxy.url}/openai/v1`, 'any', BARE_MODEL),
  };
}

export function gatewayTarget({ stack, apiKey, services }: GatewayUnderTest): Target {
  return {
    name: 'gateway',
    title: 'gateway',
    processes: services,
    job: (scenario) => job(scenario, `${stack.apiUrl}/v1`, apiKey, GATEWAY_MODEL.slug),
  };
}

function job(
  { load, stream, format, messages }: Scenario,
  baseUrl: string,
  key: string,
  model: string,
): HttpJob {
  const isResponses = format === 'responses';
  const url = `${baseUrl}${isResponses ? '/responses' : '/chat/completions'}`;
  const prompt = isResponses ? { input: messages, store: false } : { messages };
  const body = JSON.stringify({ model, ...prompt, ...(stream ? { stream } : {}) });
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
  };
  return { load, format, url, headers, body };
}
