import { z } from 'zod';

const PROJECT = /^[a-z0-9][a-z0-9.:-]{0,99}$/;
const LOCATION = /^[a-z][a-z0-9-]{0,39}$/;
const API = 'aiplatform.googleapis.com';
/** Multi-regions have hosts of their own; their data stays in the region. */
const MULTI_REGIONS = new Set(['us', 'eu']);

const location = z.string().regex(LOCATION, 'must be a location such as global or europe-west1');
const project = z.string().regex(PROJECT, 'must be the id or the number of a project');

/** Options of Gemini on Vertex AI. Without a project, only an API key of the express mode can be used. */
export const vertexOptions = z.strictObject({
  project: project.optional(),
  location: location.default('global'),
});

/** Options of Claude on Vertex AI, which has no express mode. */
export const vertexAnthropicOptions = z.strictObject({ project, location: location.default('global') });

/** Returns the base URL of a location (cloud.google.com/vertex-ai/generative-ai/docs/learn/locations). */
export function vertexBaseUrl({ location: given }: Readonly<Record<string, unknown>>): string {
  if (typeof given !== 'string' || given === 'global') return `https://${API}`;
  return MULTI_REGIONS.has(given)
    ? `https://aiplatform.${given}.rep.googleapis.com`
    : `https://${given}-${API}`;
}
