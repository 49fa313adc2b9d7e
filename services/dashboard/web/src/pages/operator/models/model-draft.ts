import type {
  AdminModel,
  ModelChange,
  ModelInput,
  ModelTarget,
  Strategy,
  TargetInput,
} from '../../../api/admin-models';
import { randomId } from '../../../ui/random-id';
import { parseCount } from './parse-count';
import type { Problems } from './problems';

export const INPUT_MODALITIES = ['text', 'image', 'video', 'audio', 'pdf'] as const;
export const OUTPUT_MODALITIES = [
  ...INPUT_MODALITIES,
  'embedding',
  'moderation',
  'rerank',
  'speech',
  'transcription',
] as const;
export const VIDEO_ACTIONS = ['create', 'status', 'result'] as const;
/** Timeouts of a target; an empty one is the gateway's default. */
export const TARGET_NUMBERS = [
  'weight',
  'priority',
  'connect_timeout_ms',
  'first_byte_timeout_ms',
  'idle_timeout_ms',
] as const;
export const TOKEN_COUNTS = [
  'context_length',
  'max_output_tokens',
  'output_floor_tokens',
  'max_image_tokens',
] as const;

export type TargetNumber = (typeof TARGET_NUMBERS)[number];
export type TokenCount = (typeof TOKEN_COUNTS)[number];

export interface TargetDraft {
  readonly id: string;
  readonly provider: string;
  readonly upstream_model: string;
  /** Kept as it is: the form does not show it. */
  readonly cost: ModelTarget['cost'] | undefined;
  readonly numbers: Readonly<Record<TargetNumber, string>>;
}

/** A catalog entry as the form's text values. */
export interface ModelDraft {
  readonly slug: string;
  readonly name: string;
  readonly aliases: readonly string[];
  readonly preview: boolean;
  readonly successor: string | null;
  readonly input_modalities: readonly string[];
  readonly output_modalities: readonly string[];
  readonly counts: Readonly<Record<TokenCount, string>>;
  readonly capabilities: readonly string[];
  readonly workflow: readonly string[];
  readonly targets: readonly TargetDraft[];
  readonly strategy: Strategy;
  readonly fallback_models: readonly string[];
  /** JSON. */
  readonly image: string;
  readonly video: string;
}

export const newTarget = (): TargetDraft => ({
  id: randomId(),
  provider: '',
  upstream_model: '',
  cost: undefined,
  numbers: {
    weight: '1',
    priority: '0',
    connect_timeout_ms: '',
    first_byte_timeout_ms: '',
    idle_timeout_ms: '',
  },
});

export const emptyModel = (): ModelDraft => ({
  slug: '',
  name: '',
  aliases: [],
  preview: false,
  successor: null,
  input_modalities: ['text'],
  output_modalities: ['text'],
  counts: { context_length: '', max_output_tokens: '', output_floor_tokens: '', max_image_tokens: '' },
  capabilities: [],
  workflow: [],
  targets: [newTarget()],
  strategy: 'weighted',
  fallback_models: [],
  image: '',
  video: '',
});

export function fromModel(model: AdminModel): ModelDraft {
  const { slug, name, aliases, preview, successor, capabilities, workflow } = model;
  const { input_modalities, output_modalities } = model;
  const counts = TOKEN_COUNTS.map((count) => [count, orEmpty(model[count])]);
  return {
    slug,
    name,
    aliases,
    preview,
    successor,
    input_modalities,
    output_modalities,
    capabilities,
    workflow,
    counts: Object.fromEntries(counts) as ModelDraft['counts'],
    targets: model.targets.map(({ provider, upstream_model, cost, ...numbers }) => ({
      id: randomId(),
      provider,
      upstream_model,
      cost,
      numbers: {
        weight: String(numbers.weight),
        priority: String(numbers.priority),
        connect_timeout_ms: orEmpty(numbers.connect_timeout_ms),
        first_byte_timeout_ms: orEmpty(numbers.first_byte_timeout_ms),
        idle_timeout_ms: orEmpty(numbers.idle_timeout_ms),
      },
    })),
    strategy: model.strategy,
    fallback_models: model.fallback_models,
    image: model.image ? toJson(model.image) : '',
    video: model.video ? toJson(model.video) : '',
  };
}

export const makes = (draft: Pick<ModelDraft, 'output_modalities'>, what: string): boolean =>
  draft.output_modalities.includes(what);

/** Returns the entry without its slug, and the problems of fields that can't be sent. */
export function toChange(draft: ModelDraft): {
  change: Omit<ModelInput, 'slug' | 'status' | 'pricing'>;
  problems: Problems;
} {
  const problems = new Map<string, string>();
  const count = (text: string, path: string): number => {
    const value = text.trim() === '' ? 0 : parseCount(text);
    if (value === undefined) problems.set(path, 'Enter a whole number.');
    return value ?? 0;
  };
  const json = (text: string, path: 'image' | 'video') => {
    if (!makes(draft, path) || text.trim() === '') return null;
    try {
      return JSON.parse(text);
    } catch (error) {
      problems.set(path, `Invalid JSON: ${error instanceof Error ? error.message : 'it can’t be read'}.`);
      return null;
    }
  };
  if (!draft.name.trim()) problems.set('name', 'A model needs a name.');
  const change = {
    name: draft.name.trim(),
    aliases: draft.aliases,
    preview: draft.preview,
    successor: draft.successor,
    input_modalities: draft.input_modalities,
    output_modalities: draft.output_modalities,
    capabilities: draft.capabilities,
    workflow: draft.workflow,
    ...Object.fromEntries(TOKEN_COUNTS.map((name) => [name, count(draft.counts[name], name)])),
    targets: draft.targets.map((target, index) => toTarget(target, `targets.${index}`, count)),
    strategy: draft.strategy,
    fallback_models: makes(draft, 'text') ? draft.fallback_models : [],
    image: json(draft.image, 'image'),
    video: json(draft.video, 'video'),
  };
  return { change, problems };
}

/**
 * Returns only changed fields, so that concurrent changes by other operators are kept and the audit log shows what was
 * changed.
 */
export function changesOf(before: ModelChange, after: ModelChange): ModelChange {
  const old = before as Readonly<Record<string, unknown>>;
  const isOther = ([field, value]: [string, unknown]) => JSON.stringify(old[field]) !== JSON.stringify(value);
  return Object.fromEntries(Object.entries(after).filter(isOther));
}

function toTarget(
  { provider, upstream_model, cost, numbers }: TargetDraft,
  at: string,
  count: (text: string, path: string) => number,
): TargetInput {
  const typed = TARGET_NUMBERS.filter((name) => numbers[name].trim() !== '');
  return {
    provider: provider.trim(),
    upstream_model: upstream_model.trim(),
    ...Object.fromEntries(typed.map((name) => [name, count(numbers[name], `${at}.${name}`)])),
    ...(cost && { cost }),
  };
}

const orEmpty = (count: number): string => (count === 0 ? '' : String(count));
const toJson = (value: unknown): string => JSON.stringify(value, null, 2);
