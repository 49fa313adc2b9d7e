import { z } from 'zod';

const RESOURCE = /^[a-z0-9][a-z0-9-]{0,62}$/i;
const API_VERSION = /^(v1|\d{4}-\d{2}-\d{2}(-preview)?)$/;
const DEPLOYMENT = /^[\w.-]{1,64}$/;
/** The client secret is sent there, so plain HTTP is accepted for this machine only. */
const AUTHORITY = /^(https:\/\/[a-z0-9.-]+(:\d+)?|http:\/\/(127\.0\.0\.1|localhost)(:\d+)?)\/?$/i;
const MAX_NAME_CHARS = 200;

/** Options of Azure OpenAI (learn.microsoft.com/azure/foundry/openai/api-version-lifecycle). */
export const azureOptions = z.strictObject({
  /** Name of the resource; determines the base URL. */
  resource: z.string().regex(RESOURCE, 'must be the name of an Azure resource').optional(),
  api_version: z.string().regex(API_VERSION, 'must be v1 or a date such as 2024-10-21').default('v1'),
  /** The deployment of each model; a model that is not listed has a deployment of its own name. */
  deployments: z
    .record(z.string().max(MAX_NAME_CHARS), z.string().regex(DEPLOYMENT, 'must be the name of a deployment'))
    .default({}),
  /** The field of the maximum output; models of some other makers refuse the usual one. */
  max_tokens_field: z.enum(['max_tokens', 'max_completion_tokens']).default('max_completion_tokens'),
  /** How credentials authenticate. Absent: the form of the secret tells. */
  auth: z.enum(['api-key', 'entra']).optional(),
  /** Of the token of an Entra service principal. The newer one is `https://ai.azure.com/.default`. */
  scope: z.string().min(1).max(MAX_NAME_CHARS).default('https://cognitiveservices.azure.com/.default'),
  /** Origin of the token endpoint; other clouds have their own. */
  authority: z
    .string()
    .regex(AUTHORITY, 'must be an https URL without a path')
    .default('https://login.microsoftonline.com'),
});

export type AzureOptions = z.output<typeof azureOptions>;

/** Returns the base URL of a resource in the public cloud; undefined if the options name none. */
export function azureBaseUrl({ resource }: Readonly<Record<string, unknown>>): string | undefined {
  return typeof resource === 'string' ? `https://${resource}.openai.azure.com` : undefined;
}
