import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { z } from 'zod';
import {
  countTokensSchema,
  messagesSchema,
} from '../../../services/chat/src/formats/anthropic/messages-schema';
import {
  batchEmbedContentsSchema,
  embedContentSchema,
} from '../../../services/chat/src/formats/gemini/embed-schema';
import { generateContentSchema } from '../../../services/chat/src/formats/gemini/gemini-schema';
import { chatCompletionSchema, messageSchema } from '../../../services/chat/src/formats/openai/chat-schema';
import { completionsSchema } from '../../../services/chat/src/formats/openai/completions-schema';
import { embeddingsSchema } from '../../../services/chat/src/formats/openai/embeddings-schema';
import {
  moderationPart,
  moderationsSchema,
} from '../../../services/chat/src/formats/openai/moderations-schema';
import { rerankSchema } from '../../../services/chat/src/formats/rerank/rerank-schema';
import {
  itemReferenceSchema,
  itemSchemas,
  responsesSchema,
  toolSchemas,
} from '../../../services/chat/src/formats/responses/responses-schema';
import { SchemaBook } from '../../../services/dashboard/src/openapi/schema-book';
import { editSchema, generationSchema } from '../../../services/media/src/formats/image-schema';
import { speechSchema } from '../../../services/media/src/formats/speech-request';
import {
  transcriptionSchema,
  translationSchema,
} from '../../../services/media/src/formats/transcription-request';
import { videoRequestSchema } from '../../../services/media/src/videos/rules/video-request';
import { BATCH_ENDPOINTS } from '../../../services/storage/src/batches/rules/batch-fields';
import { FILE_PURPOSES } from '../../../services/storage/src/files/rules/file-fields';

/** Bodies of chat, media and storage in dashboard's document. A file, because services do not import each other. */
const FILE = join(__dirname, '../../../services/dashboard/openapi/v1-bodies.json');

const part = { type: 'string', format: 'binary' };
const audioPart = { description: 'FLAC, MP3, MP4, MPEG, Ogg, WAV or WebM', ...part };
const modelField = { type: 'string', description: '`<provider>/<model>`', examples: ['sim/chat'] };

const book = new SchemaBook();
// biome-ignore lint/suspicious/noExplicitAny: JSON schemas are read as what they are known to hold.
type Loose = any;

/** Adds what the schemas leave to later checks: required fields and the shape of messages. */
function bodyOf(schema: z.ZodObject, required: readonly string[], more: Record<string, Loose> = {}): Loose {
  const json = book.input(schema) as Loose;
  const properties = {
    ...json.properties,
    ...('model' in json.properties && { model: modelField }),
    ...more,
  };
  return { ...json, properties, required };
}

const blockMessage = {
  type: 'object',
  required: ['role', 'content'],
  properties: {
    role: { enum: ['user', 'assistant', 'system'] },
    content: {
      anyOf: [
        { type: 'string', minLength: 1 },
        {
          type: 'array',
          minItems: 1,
          items: { type: 'object', required: ['type'], properties: { type: { type: 'string' } } },
        },
      ],
    },
  },
};
const messages = (items: object) => ({ messages: { type: 'array', minItems: 1, items } });
const prompt = { prompt: { type: 'string', minLength: 1, maxLength: 200_000 } };

const token = { type: 'integer', minimum: 0 };
const tokens = { type: 'array', minItems: 1, items: token };
const embeddedText = { type: 'string', minLength: 1 };
const inputs = (items: object, maxItems = 2_048) => ({ type: 'array', minItems: 1, maxItems, items });

const pathModel = { model: { type: ['string', 'null'], description: 'Repeats the path' } };

const BODIES = {
  ChatCompletionRequest: bodyOf(
    chatCompletionSchema,
    ['model', 'messages'],
    messages(book.input(messageSchema)),
  ),
  ResponsesRequest: bodyOf(responsesSchema, ['model', 'input'], {
    input: {
      anyOf: [
        { type: 'string', minLength: 1 },
        {
          type: 'array',
          minItems: 1,
          items: {
            anyOf: [...Object.values(itemSchemas), itemReferenceSchema].map((item) => book.input(item)),
          },
        },
      ],
    },
    tools: {
      type: ['array', 'null'],
      items: { anyOf: Object.values(toolSchemas).map((tool) => book.input(tool)) },
    },
  }),
  GenerateContentRequest: bodyOf(generateContentSchema, ['contents'], pathModel),
  EmbedContentRequest: bodyOf(embedContentSchema, ['content'], pathModel),
  BatchEmbedContentsRequest: bodyOf(batchEmbedContentsSchema, ['requests'], pathModel),
  MessagesRequest: bodyOf(messagesSchema, ['model', 'messages', 'max_tokens'], messages(blockMessage)),
  CountTokensRequest: bodyOf(countTokensSchema, ['model', 'messages'], messages(blockMessage)),
  CompletionsRequest: bodyOf(completionsSchema, ['model', 'prompt'], {
    prompt: {
      description:
        'A text, texts, tokens of the model, or lists of tokens; some models take one text only. May be empty before a `suffix`',
      anyOf: [{ type: 'string' }, inputs(embeddedText, 256), tokens, inputs(tokens, 256)],
    },
  }),
  EmbeddingsRequest: bodyOf(embeddingsSchema, ['model', 'input'], {
    input: {
      description:
        'A text, texts, tokens of the model, or lists of tokens; tokens only for models of some providers',
      anyOf: [embeddedText, inputs(embeddedText), tokens, inputs(tokens)],
    },
  }),
  ModerationsRequest: bodyOf(moderationsSchema, ['model', 'input'], {
    input: {
      description:
        'A text, texts with a result for each, or parts with one result for all; images only for some models',
      anyOf: [embeddedText, inputs(embeddedText, 256), inputs(book.input(moderationPart), 256)],
    },
  }),
  RerankRequest: bodyOf(rerankSchema, ['model', 'query', 'documents'], {
    query: embeddedText,
    documents: inputs(
      {
        anyOf: [embeddedText, { type: 'object', required: ['text'], properties: { text: embeddedText } }],
      },
      1_000,
    ),
  }),
  ImageGenerationRequest: bodyOf(generationSchema, ['model', 'prompt'], prompt),
  ImageEditForm: bodyOf(editSchema, ['model', 'prompt', 'image'], {
    ...prompt,
    image: { description: 'PNG, JPEG or WebP; several as `image[]`', ...part },
    'image[]': { type: 'array', maxItems: 16, items: part },
    mask: { description: 'A PNG whose transparent parts are to be made anew', ...part },
  }),
  SpeechRequest: bodyOf(speechSchema, ['model', 'input', 'voice'], {
    input: { type: 'string', minLength: 1, maxLength: 4_096 },
  }),
  TranscriptionForm: bodyOf(transcriptionSchema, ['model', 'file'], { file: audioPart }),
  TranslationForm: bodyOf(translationSchema, ['model', 'file'], { file: audioPart }),
  FileForm: {
    type: 'object',
    properties: {
      file: part,
      purpose: { type: 'string', enum: FILE_PURPOSES },
      'expires_after[anchor]': { type: 'string', enum: ['created_at'] },
      'expires_after[seconds]': { type: 'integer', minimum: 3_600, maximum: 2_592_000 },
    },
    required: ['file', 'purpose'],
    additionalProperties: false,
  },
  BatchRequest: {
    type: 'object',
    properties: {
      input_file_id: {
        type: 'string',
        maxLength: 100,
        description: 'A file of purpose `batch`: JSON lines of `custom_id`, `method`, `url`, `body`',
      },
      endpoint: { type: 'string', enum: BATCH_ENDPOINTS },
      completion_window: { type: 'string', enum: ['24h'] },
      metadata: {
        type: ['object', 'null'],
        maxProperties: 16,
        propertyNames: { type: 'string', maxLength: 64 },
        additionalProperties: { type: 'string', maxLength: 512 },
      },
      output_expires_after: {
        type: ['object', 'null'],
        description: 'Of the files with the results',
        properties: {
          anchor: { type: 'string', enum: ['created_at'] },
          seconds: { type: 'integer', minimum: 3_600, maximum: 2_592_000 },
        },
        required: ['anchor', 'seconds'],
        additionalProperties: false,
      },
    },
    required: ['input_file_id', 'endpoint', 'completion_window'],
    additionalProperties: false,
  },
  MessageBatchRequest: {
    type: 'object',
    properties: {
      requests: {
        type: 'array',
        minItems: 1,
        maxItems: 100_000,
        items: {
          type: 'object',
          properties: {
            custom_id: { type: 'string', pattern: '^[a-zA-Z0-9_-]{1,64}$' },
            params: { type: 'object', description: 'A body of `/v1/messages`, without `stream`' },
          },
          required: ['custom_id', 'params'],
          additionalProperties: false,
        },
      },
    },
    required: ['requests'],
    additionalProperties: false,
  },
  VideoRequest: bodyOf(videoRequestSchema, ['model', 'prompt']),
  VideoForm: bodyOf(videoRequestSchema, ['model', 'prompt'], {
    reference_images: { type: 'array', maxItems: 16, items: part },
  }),
  VideoTaskRequest: {
    type: 'object',
    properties: { task_id: { type: 'string', minLength: 1, description: 'That `create` answered' } },
    required: ['task_id'],
    additionalProperties: false,
  },
};

test('documented request bodies match the schemas that parse them; UPDATE_V1_BODIES=1 rewrites the document', () => {
  if (process.env.UPDATE_V1_BODIES === '1') writeFileSync(FILE, `${JSON.stringify(BODIES, null, 2)}\n`);
  expect(JSON.parse(readFileSync(FILE, 'utf8'))).toEqual(JSON.parse(JSON.stringify(BODIES)));
});
