import type { ImageFeatures, Model, VideoFeatures } from '../../api/models';
import { type Fact, Facts } from '../../ui/facts';
import { formatCount } from '../../ui/format-count';
import { Time } from '../../ui/time';
import { providerOf } from './model-kinds';

/** The model's properties. */
export function ModelFacts({ model }: { model: Model }) {
  const facts: Fact[] = [
    ['Provider', providerOf(model)],
    ['Aliases', listed(model.aliases)],
    ['Input', listed(model.input_modalities)],
    ['Output', listed(model.output_modalities)],
    ['Context', tokens(model.context_length)],
    ['Max output', tokens(model.max_output_tokens)],
    ['Capabilities', listed(model.capabilities.filter((name) => !isEffort(name)).map(inWords))],
    [
      'Reasoning effort',
      listed(model.capabilities.filter(isEffort).map((name) => name.slice(EFFORT.length))),
    ],
    ...(model.image ? imageFacts(model.image) : []),
    ...(model.video ? videoFacts(model.video) : []),
    ['Added', <Time key="time" at={model.created_at} />],
  ];
  return <Facts facts={facts} />;
}

const EFFORT = 'effort_';
const NO_EFFORT = 'effort_excludes_tools';

const isEffort = (capability: string): boolean => capability.startsWith(EFFORT) && capability !== NO_EFFORT;
const inWords = (capability: string): string =>
  capability === NO_EFFORT ? 'no tools while reasoning' : capability.replaceAll('_', ' ');
const listed = (names: readonly string[]): string => names.join(', ');
const tokens = (count: number) => (count > 0 ? `${formatCount(count)} tokens` : null);
const characters = (count: number) => (count > 0 ? `${formatCount(count)} characters` : null);
const marked = (names: readonly string[], usual: string): string =>
  listed(names.map((name) => (name === usual ? `${name} (default)` : name)));

function imageFacts(image: ImageFeatures): Fact[] {
  const { size_rule: rule } = image;
  return [
    ['Sizes', marked(image.sizes, image.default_size) || image.default_size],
    [
      'Other sizes',
      rule &&
        `multiples of ${rule.step_px} px, edges up to ${formatCount(rule.max_edge_px)} px, at most ${rule.max_ratio}:1`,
    ],
    ['Qualities', marked(image.qualities, image.default_quality)],
    ['Formats', listed(image.formats)],
    ['Max images per request', image.max_n],
    ['Edits', image.max_input_images > 0 ? `of up to ${image.max_input_images} images` : 'no'],
    ['Mask', image.mask ? 'yes' : 'no'],
    ['Transparent background', image.transparent ? 'yes' : 'no'],
    ['Max prompt length', characters(image.max_prompt_chars)],
  ];
}

function videoFacts(video: VideoFeatures): Fact[] {
  const seconds = video.durations.length
    ? listed(video.durations.map(String))
    : `${video.min_duration} to ${video.max_duration}`;
  return [
    ['Seconds', `${seconds}, default ${video.default_duration}`],
    ['Aspect ratios', marked(video.aspect_ratios, video.default_aspect_ratio)],
    ['Tiers', listed(Object.entries(video.tiers).map(([tier, { resolution }]) => `${tier}: ${resolution}`))],
    ['Reference images', video.max_reference_images > 0 ? `up to ${video.max_reference_images}` : 'none'],
    ['Max prompt length', characters(video.max_prompt_chars)],
  ];
}
