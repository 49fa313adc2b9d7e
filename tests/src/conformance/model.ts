import { bearer, CHAT_ENDPOINTS } from './caller';
import type { ConformanceCase } from './case';

const MALFORMED: readonly [string, string | null | readonly []][] = [
  ['no provider prefix', 'gpt-5.5'],
  ['only a provider name', 'openai'],
  ['a trailing slash', 'openai/'],
  ['a leading slash', '/gpt-5.5'],
  ['two slashes', 'openai/gpt/5.5'],
  ['a backslash', 'openai\\gpt-5.5'],
  ['a leading space', ' sim/chat'],
  ['a trailing space', 'sim/chat '],
  ['a trailing newline', 'sim/chat\n'],
  ['upper-case letters', 'Sim/Chat'],
  ['a display name', 'Simulated chat'],
  ['an empty model', ''],
  ['a null model', null],
  ['an empty list', []],
  ['default', 'default'],
  ['auto', 'auto'],
];

const NOT_FOUND: readonly [string, string][] = [
  ['an unknown model', 'sim/never'],
  ['a very long model name', `sim/${'x'.repeat(1_000)}`],
  ['a model of an unknown provider', 'nobody/chat'],
  ['a delisted model', 'sim/delisted'],
  ['a disabled model', 'sim/disabled'],
  ['a preview model without opt-in', 'sim/preview'],
];

const NO_CHAT: readonly [string, string][] = [
  ['an image model', 'sim/image'],
  ['a video model', 'sim/video'],
];

export const MODEL_CASES: readonly ConformanceCase[] = [
  ...CHAT_ENDPOINTS.flatMap((endpoint): ConformanceCase[] => [
    ...MALFORMED.map(
      ([when, model]): ConformanceCase => ({
        code: 'invalid_model',
        when: `${when}, POST ${endpoint.path}`,
        provoke: ({ caller, customer }) => caller.chat(customer.apiKey, { model }, endpoint),
      }),
    ),
    ...[...NOT_FOUND, ...NO_CHAT].map(
      ([when, model]): ConformanceCase => ({
        code: 'model_not_found',
        when: `${when}, POST ${endpoint.path}`,
        provoke: ({ caller, customer }) => caller.chat(customer.apiKey, { model }, endpoint),
      }),
    ),
    {
      code: 'model_not_found',
      when: `a model outside the allowlist, POST ${endpoint.path}`,
      async provoke({ system, caller }) {
        const { apiKey } = await system.provision({ key: { allowed_models: ['openai/gpt-5.5'] } });
        return caller.chat(apiKey, {}, endpoint);
      },
    },
  ]),
  ...NOT_FOUND.flatMap(([when, model]): ConformanceCase[] => [
    {
      code: 'model_not_found',
      when: `${when}, GET /v1/models/{slug}`,
      provoke: ({ caller, customer }) => caller.api('GET', `/v1/models/${model}`, bearer(customer.apiKey)),
    },
    {
      code: 'model_not_found',
      when: `${when}, GET /v1/models/{slug} in Anthropic's format`,
      provoke: ({ caller, customer }) =>
        caller.api('GET', `/v1/models/${model}`, {
          ...bearer(customer.apiKey),
          'anthropic-version': '2023-06-01',
        }),
    },
    {
      code: 'model_not_found',
      when: `${when}, GET /v1/models/{slug} with the slash encoded`,
      provoke: ({ caller, customer }) =>
        caller.api('GET', `/v1/models/${encodeURIComponent(model)}`, bearer(customer.apiKey)),
    },
  ]),
  {
    code: 'model_not_found',
    when: 'a model outside the allowlist, GET /v1/models/{slug}',
    async provoke({ system, caller }) {
      const { apiKey } = await system.provision({ key: { allowed_models: ['openai/gpt-5.5'] } });
      return caller.api('GET', '/v1/models/sim/chat', bearer(apiKey));
    },
  },
  ...['sim/never', 'nobody/chat', 'sim', 'sim/chat/more'].map(
    (slug): ConformanceCase => ({
      code: 'model_not_found',
      when: `${slug}, GET /api/v1/models/{slug}`,
      provoke: ({ caller, customer }) =>
        caller.dashboard('GET', `/api/v1/models/${slug}`, bearer(customer.token)),
    }),
  ),
];
