import { z } from 'zod';
import {
  cellQuery,
  count,
  id,
  type Json,
  type JsonBody,
  milliseconds,
  moment,
  pageQuery,
  time,
  usd,
} from './fields';

export const requestResponse = z
  .object({
    id,
    created_at: time,
    key_id: z.string(),
    endpoint: z.string(),
    model: z.string().nullable(),
    requested_model: z
      .string()
      .nullable()
      .meta({ description: 'The model that the caller named, if a fallback model answered' }),
    provider: z.string().nullable(),
    status: z.int().nullable().meta({ description: 'HTTP status; null while a video task is in progress' }),
    in_progress: z.boolean().meta({ description: 'The call created a video task that has not ended' }),
    task_id: z.string().nullable().meta({ description: 'The video task that the call created' }),
    error_code: z.string().nullable(),
    streamed: z.boolean(),
    input_tokens: count,
    cache_read_tokens: count,
    cache_write_tokens: count,
    output_tokens: count,
    reasoning_tokens: count,
    units: z
      .record(z.string(), count)
      .meta({ description: 'Usage that is not counted in tokens, such as web searches' }),
    images: count,
    seconds: z.number(),
    cost: usd,
    held: usd.meta({ description: 'Reserved for a video task in progress, its maximum cost; otherwise 0' }),
    timings: z
      .object({
        receive_ms: milliseconds,
        admit_ms: milliseconds,
        first_byte_ms: milliseconds.nullable(),
        reply_ms: milliseconds.nullable(),
        total_ms: milliseconds,
      })
      .nullable(),
  })
  .meta({ id: 'Request' });
export const anyRequestResponse = requestResponse
  .extend({
    account_id: id.nullable().meta({ description: 'Null for a call with a login token' }),
    key_id: z.string().nullable(),
    user_id: id.nullable().meta({ description: 'For a call with a login token' }),
    provider_cost: usd.nullable().meta({ description: 'What the provider charges; null if not known' }),
  })
  .meta({ id: 'AnyRequest' });
export const usageResponse = z
  .object({
    data: z.array(
      z.object({
        group: z.string().nullable(),
        model: z.string().nullable().optional(),
        key_id: z.string().optional(),
        calls: count,
        errors: count,
        input_tokens: count,
        output_tokens: count,
        images: count,
        seconds: z.number(),
        cost: usd,
      }),
    ),
  })
  .meta({ id: 'Usage' });

const text = z
  .string()
  .regex(/^[\x21-\x7e]{0,128}$/, 'not a name')
  .default('');
export const requestsQuery = pageQuery.extend({
  from: moment.default(0),
  to: moment.default(0),
  key_id: text,
  model: text,
  status: z
    .string()
    .regex(/^(\d{3}|ok|failed|in_progress)$/, 'not a status')
    .default(''),
  error_code: text,
});
export const anyRequestsQuery = requestsQuery.extend({ ...cellQuery, account_id: text });
export const usageQuery = z.object({
  from: moment.optional(),
  to: moment.optional(),
  group_by: z.enum(['day', 'model', 'key', 'day,model', 'day,key']).default('day'),
});

export type RequestRecord = Json<typeof requestResponse>;
export type RequestTimings = NonNullable<RequestRecord['timings']>;
export type AnyRequestRecord = Json<typeof anyRequestResponse>;
export type Usage = Json<typeof usageResponse>;
export type UsageRow = Usage['data'][number];
export type RequestFilter = Omit<JsonBody<typeof requestsQuery>, 'limit' | 'cursor'>;
export type AnyRequestFilter = Omit<JsonBody<typeof anyRequestsQuery>, 'limit' | 'cursor'>;
export type UsageQuery = JsonBody<typeof usageQuery>;
