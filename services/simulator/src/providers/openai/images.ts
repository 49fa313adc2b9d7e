import { drawImage } from '../../domain/files/image';
import { sizeText } from '../../domain/files/size';
import { billOf, drawImages, seedOf } from '../../domain/image-spec';
import type { CallOutcome } from '../../domain/meter';
import type { Call } from '../../http/call';
import { FormError, readForm } from '../../http/read-form';
import { writeStream } from '../../http/write-stream';
import { type Exchange, freeOutcome, handleMetered, readJson, sendJsonReply } from '../handle-call';
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

function sendImages(exchange: Exchange<ImageRequest, ProviderProtocol>): CallOutcome | Promise<CallOutcome> {
  if (exchange.request.stream) return streamImages(exchange);
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

/** Each image is preceded by its partial images, and each event is a chunk. An incomplete stream is free. */
async function streamImages({
  call,
  request,
  directive,
  identity,
  protocol,
}: Exchange<ImageRequest, ProviderProtocol>): Promise<CallOutcome> {
  const { spec, background, partialImages } = request;
  const kind = spec.uploads.length > 0 ? 'image_edit' : 'image_generation';
  const settings = {
    created_at: identity.createdSeconds,
    size: sizeText(spec.size),
    quality: spec.quality,
    background,
    output_format: spec.format,
  };
  const events = drawImages(spec, directive).flatMap((image, at) => [
    ...Array.from({ length: partialImages }, (_, index) => ({
      type: `${kind}.partial_image`,
      b64_json: drawImage(spec.format, spec.size, seedOf(spec, -1 - index)).toString('base64'),
      partial_image_index: index,
      ...settings,
    })),
    {
      type: `${kind}.completed`,
      b64_json: image.toString('base64'),
      ...settings,
      usage: toUsage(
        billOf({ ...spec, ...(at > 0 && { textTokens: 0, inputImageTokens: 0 }) }, 1, directive),
      ),
    },
  ]);
  const frames = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  call.res.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'transfer-encoding': 'chunked',
    ...protocol.headers(identity.id),
  });
  const failure = { type: 'error', ...(errorOfStatus(503).toBody(identity.id) as object) };
  const { end } = await writeStream(
    call,
    { head: '', count: frames.length, piece: (index) => frames[index]!, tail: '' },
    {
      chunkDelayMs: directive.chunk_delay_ms ?? 0,
      dropAfter:
        directive.drop_after_chunks ??
        (directive.stream_error ? frames.length - 1 : Number.POSITIVE_INFINITY),
      ...(directive.stream_error && { failure: `data: ${JSON.stringify(failure)}\n\n` }),
    },
  );
  if (end !== 'finished') return freeOutcome(200, false, end === 'aborted');
  const images = events.filter(({ type }) => type.endsWith('.completed')).length;
  return { status: 200, ...billOf(spec, images, directive), finished: true, aborted: false };
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
