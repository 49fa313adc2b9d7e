import { GatewayError } from '@gateway/errors';
import type { z } from 'zod';
import { configBody, configResponse } from '../api/config';
import type { Billing, Caller } from '../clients/billing';
import type { ConfigEditor } from '../clients/config-editor';
import { type Endpoint, endpoint } from './endpoint';

interface Dependencies {
  readonly billing: Billing;
  readonly config: ConfigEditor;
}

type Config = z.output<typeof configBody>;

export const adminConfigEndpoints = (deps: Dependencies): Endpoint[] => [
  endpoint(
    'operator',
    'POST /admin/config/diff',
    {
      summary: 'Validate a configuration, and list what it would change',
      body: configBody,
      response: configResponse,
      handle: ({ context, body }) => apply(deps, context, body, true),
    },
    { unaudited: true },
  ),
  endpoint('operator', 'POST /admin/config/apply', {
    summary: 'Make providers, models and settings as a configuration describes them, all or nothing',
    body: configBody,
    response: configResponse,
    handle: ({ context, body }) => apply(deps, context, body, false),
  }),
];

/** All of them are in the diff. */
const MAX_SHOWN = 20;
const THROTTLE = 'settings.requests_per_second';

async function apply({ billing, config }: Dependencies, context: Caller, body: Config, dryRun: boolean) {
  const { requestsPerSecond } = await billing.getThrottle(context);
  const { problems, changes, applied } = await config.apply(context, body, dryRun);
  if (problems.length > 0 && !dryRun) {
    const shown = problems.slice(0, MAX_SHOWN).map(({ path, message }) => `${path}: ${message}`);
    throw new GatewayError('invalid_request', { detail: shown.join('; ') });
  }
  // Catalog has validated it, unless there are problems.
  const wanted = throttleOf(body.settings);
  const isOther = problems.length === 0 && wanted !== undefined && wanted !== (requestsPerSecond || null);
  if (isOther && applied) await billing.setThrottle(context, wanted ?? 0);
  return {
    applied,
    problems,
    changes: [
      ...changes.map(({ path, fromJson, toJson }) => ({ path, from: parse(fromJson), to: parse(toJson) })),
      ...(isOther ? [{ path: THROTTLE, from: requestsPerSecond || null, to: wanted }] : []),
    ],
  };
}

/** Returns undefined if the setting is absent. */
function throttleOf(settings: unknown): number | null | undefined {
  const { requests_per_second } = (settings ?? {}) as { requests_per_second?: number | null };
  return requests_per_second;
}

const parse = (json: string): unknown => (json === '' ? null : JSON.parse(json));
