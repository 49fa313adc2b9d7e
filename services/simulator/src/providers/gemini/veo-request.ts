import type { Upload } from '../../domain/media-usage';
import { isObject, type Json } from '../json';
import type { TaskRequest } from '../task-protocol';
import { uploadOf } from '../upload';
import { videoRequest, videoSize } from '../video-request';
import { invalid } from './error';
import { ProtoReader } from './proto-reader';

const FIELDS = new Set(['instances', 'parameters']);
const INSTANCE_FIELDS = new Set(['prompt', 'image', 'lastFrame', 'referenceImages']);
const PARAMETERS = new Set([
  'aspectRatio',
  'durationSeconds',
  'enhancePrompt',
  'generateAudio',
  'negativePrompt',
  'personGeneration',
  'resolution',
  'sampleCount',
  'seed',
]);
const RESOLUTIONS: Readonly<Record<string, number>> = { '720p': 720, '1080p': 1_080, '4k': 2_160 };
const RATIOS = ['16:9', '9:16'];
const DURATIONS = [4, 6, 8];
const MAX_REFERENCES = 3;
const MAX_PROMPT_CHARS = 10_000;

/** Body of models/{model}:predictLongRunning, after the Gemini API's guide to Veo. @throws ProviderError */
export function parseVeoRequest(value: unknown, model: string): TaskRequest {
  if (!isObject(value)) throw invalid('Invalid JSON payload received. Expected an object.');
  const reader = new ProtoReader();
  const body = reader.message(value, FIELDS, '');
  const instances = reader.list(body.instances, 'instances');
  const instance = reader.message(instances[0], INSTANCE_FIELDS, 'instances[0]');
  const parameters = reader.message(body.parameters, PARAMETERS, 'parameters');
  const text = reader.text(instance.prompt, 'instances[0].prompt') ?? '';
  const resolution = reader.text(parameters.resolution, 'parameters.resolution') ?? '720p';
  const ratio = reader.text(parameters.aspectRatio, 'parameters.aspectRatio') ?? '16:9';
  const seconds = reader.integer(parameters.durationSeconds, 'parameters.durationSeconds') ?? 8;
  const samples = reader.integer(parameters.sampleCount, 'parameters.sampleCount') ?? 1;
  reader.check();
  const uploads = parseUploads(instance);
  const shortEdge = RESOLUTIONS[resolution];
  if (instances.length !== 1) throw invalid('Exactly one instance is required.');
  if (text === '' && uploads.length === 0) throw invalid('The input prompt is missing.');
  if (text.length > MAX_PROMPT_CHARS) throw invalid('The input prompt is too long.');
  if (samples !== 1) throw invalid('`sampleCount` is out of bound: only 1 is supported.');
  if (!RATIOS.includes(ratio)) throw invalid('`aspectRatio` is not supported.');
  if (!DURATIONS.includes(seconds)) throw invalid('`durationSeconds` is out of bound: 4, 6 or 8.');
  if (shortEdge === undefined || (shortEdge > 720 && seconds !== 8)) {
    throw invalid('`resolution` is not supported for this duration.');
  }
  const size = videoSize(shortEdge, ratio);
  return videoRequest(model, { text, size, seconds, tier: resolution, uploads });
}

function parseUploads(instance: Json): Upload[] {
  const references = Array.isArray(instance.referenceImages) ? instance.referenceImages : [];
  if (references.length > MAX_REFERENCES) throw invalid('At most three reference images.');
  const fields = { image: instance.image, lastFrame: instance.lastFrame };
  return [
    ...Object.entries(fields).flatMap(([field, image]) => parseImage(image, field)),
    ...references.flatMap((reference: unknown, i) =>
      parseImage(isObject(reference) ? reference.image : null, `referenceImages[${i}]`),
    ),
  ];
}

function parseImage(image: unknown, field: string): Upload[] {
  if (image == null) return [];
  const data = isObject(image) ? image.bytesBase64Encoded : null;
  return [uploadOf(field, data, () => invalid(`Unable to process input image (${field}).`))];
}
