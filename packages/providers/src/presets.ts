import { z } from 'zod';
import { PRESET_FILES } from './preset-files';
import { quirksSchema } from './quirks-schema';

const PLACEHOLDER = /\{[a-z_]+\}/;

const presetSchema = z.strictObject({
  /** The name of its file. */
  id: z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/),
  name: z.string().min(1).max(100),
  kind: z.enum(['openai', 'anthropic', 'cohere', 'deepseek', 'mistral', 'xai']),
  /** May have placeholders, such as `{account}`. */
  base_url: z.string().regex(/^https?:\/\/[^\s?#]+[^/\s?#]$/),
  api_key: z.enum(['required', 'optional', 'none']),
  /** Of kind `openai` only. */
  quirks: quirksSchema.optional(),
  /** Where operators find its API keys or its documentation. */
  docs: z.url().optional(),
  /** Where the facts are from. */
  source: z.string().min(1),
  /** When the source was read. */
  date: z.iso.date(),
});

/** A known endpoint: what an operator would otherwise have to look up. */
export type Preset = z.infer<typeof presetSchema>;

/** The presets by id, sorted by name. */
export const PRESETS: ReadonlyMap<string, Preset> = new Map(
  Object.entries(PRESET_FILES)
    .map(([file, content]) => checkPreset(file, content))
    .sort((a, b) => a.name.localeCompare(b.name, 'en'))
    .map((preset) => [preset.id, preset]),
);

/** Returns the base URL of a preset; undefined if the operator has to fill in its placeholders. */
export const presetBaseUrl = ({ base_url: url }: Preset): string | undefined =>
  PLACEHOLDER.test(url) ? undefined : url;

/** @throws Error for an invalid file */
function checkPreset(file: string, content: unknown): Preset {
  const { data, error } = presetSchema.safeParse(content);
  if (!data) throw new Error(`preset ${file}: ${z.prettifyError(error)}`);
  if (file !== data.id) throw new Error(`preset ${file}: its id is ${data.id}`);
  if (data.quirks && data.kind !== 'openai') throw new Error(`preset ${file}: ${data.kind} has no quirks`);
  return data;
}
