import type { MeteredModel } from './gateway/check-money';
import type { GatewayUnderTest } from './gateway/gateway-under-test';
import type { CallerFormat } from './load/caller-format';
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
export const EMBEDDING_MODEL: MeteredModel = { slug: 'sim/embedding', upstreamModel: 'embedding' };
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
    job: (scenario) => {
      const { slug } = scenario.format === 'embeddings' ? EMBEDDING_MODEL : GATEWAY_MODEL;
      return job(scenario, `${stack.apiUrl}/v1`, apiKey, slug);
    },
  };
}

const PATHS: Readonly<Record<CallerFormat, string>> = {
  openai: '/chat/completions',
  responses: '/responses',
  anthropic: '/messages',
  embeddings: '/embeddings',
};

function job({ load, format, body }: Scenario, baseUrl: string, key: string, model: string): HttpJob {
  const text = JSON.stringify({ model, ...body });
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(text)),
  };
  return { load, format, url: `${baseUrl}${PATHS[format]}`, headers, body: text };
}
