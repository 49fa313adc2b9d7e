import { sizeText } from '../../domain/files/size';
import { billOf, drawOrder } from '../../domain/image-order';
import type { CallOutcome } from '../../domain/meter';
import type { Call } from '../../http/call';
import { FormError, readForm } from '../../http/read-form';
import { play, readJson, type Scene, sendWhole } from '../play';
import type { ProviderDeps } from '../provider';
import type { Voice } from '../voice';
import { errorOfStatus, invalid, moderationBlocked } from './error';
import { authorize, openAiHeaders } from './headers';
import { type ImageRequest, MAX_INPUT_IMAGES, parseEdit, parseGeneration } from './image-request';

const FORM_LIMITS = {
  fields: 32,
  fieldBytes: 256 * 1024,
  // One more than allowed of either kind, so that too many are refused in the provider's own words.
  files: MAX_INPUT_IMAGES + 2,
  fileBytes: 50 * 1024 * 1024,
};

export const imagesVoice: Voice = {
  provider: 'openai',
  overloadedStatus: 503,
  authorize,
  headers: openAiHeaders,
  errorOfStatus,
  contentPolicy: moderationBlocked,
};

export function playGeneration(call: Call, deps: ProviderDeps): Promise<void> {
  const parse = (body: unknown) => parseGeneration(body, deps.tokenizer);
  return play(call, deps, imagesVoice, () => readJson(call, deps, imagesVoice, parse), sendImages);
}

export function playEdit(call: Call, deps: ProviderDeps): Promise<void> {
  const read = async () => {
    try {
      return parseEdit(await readForm(call.req, FORM_LIMITS), deps.tokenizer);
    } catch (error) {
      if (error instanceof FormError) throw invalid(`Could not read the multipart form: ${error.message}.`);
      throw error;
    }
  };
  return play(call, deps, imagesVoice, read, sendImages);
}

function sendImages(scene: Scene<ImageRequest, Voice>): CallOutcome {
  const { order, background } = scene.request;
  const images = drawOrder(order, scene.directive);
  const bill = billOf(order, images.length, scene.directive);
  const body = {
    created: scene.identity.createdSeconds,
    background,
    data: images.map((image) => ({ b64_json: image.toString('base64') })),
    output_format: order.format,
    quality: order.quality,
    size: sizeText(order.size),
    usage: toUsage(bill),
  };
  return sendWhole(scene, body, images.length, bill);
}

function toUsage({ usage, media }: ReturnType<typeof billOf>) {
  const { promptTokens, completionTokens } = usage;
  return {
    input_tokens: promptTokens,
    input_tokens_details: {
      image_tokens: media.inputImageTokens,
      text_tokens: promptTokens - media.inputImageTokens,
    },
    output_tokens: completionTokens,
    output_tokens_details: { image_tokens: media.outputImageTokens, text_tokens: 0 },
    total_tokens: promptTokens + completionTokens,
  };
}
