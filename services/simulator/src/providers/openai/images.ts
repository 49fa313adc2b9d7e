import { sizeText } from '../../domain/files/size';
import { billOf, drawImages } from '../../domain/image-spec';
import type { CallOutcome } from '../../domain/meter';
import type { Call } from '../../http/call';
import { FormError, readForm } from '../../http/read-form';
import { type Exchange, handleMetered, readJson, sendJsonReply } from '../handle-call';
import type { ProviderProtocol } from '../protocol';
import type { ProviderDeps } from '../provider';
import { errorOfStatus, invalid, moderationBlocked } from './error';
import { authorize, openAiHeaders } from './headers';
import { type ImageRequest, MAX_INPUT_IMAGES, parseEdit, parseGeneration } from './image-request';

const FORM_LIMITS = {
  fields: 32,
  fieldBytes: 256 * 1024,
  // One more of each kind than allowed, so that the provider's own error refuses too many.
  files: MAX_INPUT_IMAGES + 2,
  fileBytes: 50 * 1024 * 1024,
};

export const imagesProtocol: ProviderProtocol = {
  provider: 'openai',
  overloadedStatus: 503,
  authorize,
  headers: openAiHeaders,
  errorOfStatus,
  contentPolicy: moderationBlocked,
};

export function handleImageGeneration(call: Call, deps: ProviderDeps): Promise<void> {
  const parse = (body: unknown) => parseGeneration(body, deps.tokenizer);
  return handleMetered(
    call,
    deps,
    imagesProtocol,
    () => readJson(call, deps, imagesProtocol, parse),
    sendImages,
  );
}

export function handleImageEdit(call: Call, deps: ProviderDeps): Promise<void> {
  const read = async () => {
    try {
      return parseEdit(await readForm(call.req, FORM_LIMITS), deps.tokenizer);
    } catch (error) {
      if (error instanceof FormError) throw invalid(`Could not read the multipart form: ${error.message}.`);
      throw error;
    }
  };
  return handleMetered(call, deps, imagesProtocol, read, sendImages);
}

function sendImages(exchange: Exchange<ImageRequest, ProviderProtocol>): CallOutcome {
  const { spec, background } = exchange.request;
  const images = drawImages(spec, exchange.directive);
  const bill = billOf(spec, images.length, exchange.directive);
  const body = {
    created: exchange.identity.createdSeconds,
    background,
    data: images.map((image) => ({ b64_json: image.toString('base64') })),
    output_format: spec.format,
    quality: spec.quality,
    size: sizeText(spec.size),
    usage: toUsage(bill),
  };
  return sendJsonReply(exchange, body, images.length, bill);
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
