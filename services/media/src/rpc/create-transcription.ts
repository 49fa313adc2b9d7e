import { AUDIO_KINDS } from '@gateway/audio';
import { GatewayError } from '@gateway/errors';
import type { LinkCall, LinkHandler } from '@gateway/link';
import type { CpuTimeQuota } from '@gateway/quota';
import { type AnswerAudioDeps, answerAudio } from '../audio/answer-audio';
import { transcriptionSizes } from '../audio/rules/audio-price';
import type { TranscriptionOrder } from '../audio/rules/audio-provider';
import { parseTranscription, TRANSCRIPTION_LISTS } from '../formats/transcription-request';
import { durationOf } from '../upload/audio-duration';
import type { Form, FormRules } from '../upload/form';
import type { FormReader } from '../upload/form-reader';

export interface CreateTranscriptionDeps extends AnswerAudioDeps {
  readonly forms: Pick<FormReader, 'read'>;
  /** For reading the audio. */
  readonly cpu: CpuTimeQuota;
}

const FORM_TYPE = /^multipart\/form-data\s*(;|$)/i;
const RULES: FormRules = { files: { file: 1 }, kinds: AUDIO_KINDS, lists: TRANSCRIPTION_LISTS };

/** Handles `POST /v1/audio/transcriptions` and `POST /v1/audio/translations`. */
export function createTranscription(
  deps: CreateTranscriptionDeps,
  task: TranscriptionOrder['task'],
): LinkHandler {
  return async (context, call) => {
    const form = await readForm(deps, call);
    const { model, promptBytes, ...order } = await closedOnError(form, async () =>
      parseTranscription(task, form),
    );
    return answerAudio(deps, context, call, {
      output: 'transcription',
      model,
      streamed: order.stream,
      async sizes(offer) {
        const { measuredMs, maximumMs: audioMs } = await durationOf(order.file, call.key.accountId, deps.cpu);
        return transcriptionSizes({ audioMs, measuredMs, promptBytes }, offer);
      },
      send:
        ({ rate }) =>
        ({ provider, target }, providerCall) =>
          provider.transcribe(
            { ...order, upstreamModel: target.upstreamModel, needsTokens: rate.by === 'token' },
            providerCall,
          ),
      close: () => form.close(),
    });
  };
}

/** @throws GatewayError `invalid_request` with everything deleted */
async function readForm({ forms }: CreateTranscriptionDeps, { headers, key, body, bodyStream }: LinkCall) {
  const contentType = headers['content-type'] ?? '';
  if (!FORM_TYPE.test(contentType))
    throw new GatewayError('invalid_request', { detail: 'Content-Type must be multipart/form-data' });
  const whole = async function* () {
    yield body;
  };
  return forms.read({ contentType, body: bodyStream ?? whole(), accountId: key.accountId, rules: RULES });
}

async function closedOnError<T>(form: Form, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await form.close();
    throw error;
  }
}
