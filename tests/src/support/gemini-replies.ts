import { sse, type WireReplies, WORDS } from './provider-replies';

/** Gemini's replies, from its documentation (ai.google.dev/api/generate-content; google.rpc.Status). */
const candidate = (text: string, finishReason?: string) => ({
  content: { parts: [{ text }], role: 'model' },
  index: 0,
  ...(finishReason && { finishReason }),
});
const response = (candidates: object[], candidatesTokenCount: number) => ({
  candidates,
  usageMetadata: {
    promptTokenCount: 20,
    candidatesTokenCount,
    totalTokenCount: 20 + candidatesTokenCount,
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: 20 }],
  },
  modelVersion: 'gemini-2.5-flash',
  responseId: 'r1',
});

const STATUSES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'ABORTED',
  429: 'RESOURCE_EXHAUSTED',
  499: 'CANCELLED',
  500: 'INTERNAL',
  501: 'UNIMPLEMENTED',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

/** Returns a `google.rpc.Status` as HTTP wraps it. */
export function googleError(code: number, message: unknown, fields: object = {}) {
  return { error: { code, message, status: STATUSES[code] ?? 'UNKNOWN', ...fields } };
}

const chunks = [
  ...WORDS.map((word, index) => response([candidate(word)], index + 1)),
  response([candidate('', 'STOP')], 8),
];

const WHOLE = response([candidate('Hello there, how are you?', 'STOP')], 8);

const toolParts = [
  { text: 'Where?', thought: true },
  { text: 'I look.', thoughtSignature: 'c2lnbmVk' },
  { functionCall: { id: 'fc_1', name: 'look', args: { at: [1, 'ä'] } }, thoughtSignature: 'Zmlyc3Q=' },
  { functionCall: { name: 'look', args: {} } },
];
const ofParts = (parts: object[], finishReason?: string) =>
  response([{ content: { parts, role: 'model' }, index: 0, ...(finishReason && { finishReason }) }], 8);

export const GEMINI_REPLIES: WireReplies = {
  tools: ofParts(toolParts, 'STOP'),
  toolChunks: [...toolParts.map((part) => ofParts([part])), ofParts([{ text: '' }], 'STOP')],
  whole: WHOLE,
  withUsage: (promptTokenCount, candidatesTokenCount) => ({
    ...WHOLE,
    usageMetadata: { promptTokenCount, candidatesTokenCount },
  }),
  chunks,
  frame: sse,
  end: '',
  opening: sse(response([candidate('')], 0)),
  partialStream: chunks.slice(0, 3).map(sse).join(''),
  refusal: googleError,
  errorEvent: sse(googleError(503, 'The model is overloaded.')),
  errorEventVariants: [],
  withoutContent: [
    ['candidates that are not a list', { ...response([], 0), candidates: 'none' }],
    ['a candidate without a finish reason and without text', response([{ index: 0 }], 0)],
    [
      'a finish reason that means a failure',
      response([{ index: 0, finishReason: 'MALFORMED_FUNCTION_CALL' }], 0),
    ],
  ],
};
