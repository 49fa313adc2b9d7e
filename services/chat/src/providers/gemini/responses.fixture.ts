/**
 * Replies of generateContent in the shapes of its reference and guides (ai.google.dev/api/generate-content,
 * /gemini-api/docs/{thinking,function-calling,thought-signatures}); texts and figures are ours.
 */

/** Gemini 3: a thought, a text in pieces, and a signature on an empty text at the end. */
export const TEXT_CHUNKS = [
  {
    candidates: [{ content: { parts: [{ text: 'Let me see.', thought: true }], role: 'model' }, index: 0 }],
    usageMetadata: { promptTokenCount: 20, totalTokenCount: 29, thoughtsTokenCount: 9 },
    modelVersion: 'gemini-3.5-flash',
    responseId: 'r1',
  },
  {
    candidates: [{ content: { parts: [{ text: 'Ein ' }], role: 'model' }, index: 0 }],
    usageMetadata: {
      promptTokenCount: 20,
      candidatesTokenCount: 1,
      totalTokenCount: 33,
      thoughtsTokenCount: 12,
    },
  },
  {
    candidates: [
      {
        content: { parts: [{ text: 'Satz.' }, { text: '', thoughtSignature: 'c2lnbmVk' }], role: 'model' },
        finishReason: 'STOP',
        index: 0,
      },
    ],
    usageMetadata: {
      promptTokenCount: 20,
      cachedContentTokenCount: 5,
      candidatesTokenCount: 3,
      totalTokenCount: 35,
      thoughtsTokenCount: 12,
      promptTokensDetails: [{ modality: 'TEXT', tokenCount: 20 }],
    },
  },
] as const;

/** Two complete calls in one chunk; only the first is signed; the finish reason is that of a text. */
export const CALLS = {
  candidates: [
    {
      content: {
        role: 'model',
        parts: [
          {
            functionCall: { id: 'fc_1', name: 'find', args: { q: 'ä', n: 2 } },
            thoughtSignature: 'Zmlyc3Q=',
          },
          { functionCall: { name: 'tell', args: {} } },
        ],
      },
      finishReason: 'STOP',
      index: 0,
    },
  ],
  usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 11, totalTokenCount: 18 },
} as const;

/** The prompt was refused: a 200 without candidates. */
export const BLOCKED = {
  promptFeedback: { blockReason: 'PROHIBITED_CONTENT' },
  usageMetadata: { promptTokenCount: 9, totalTokenCount: 9 },
} as const;

export const QUOTA_ERROR = {
  error: {
    code: 429,
    message: 'You exceeded your current quota.',
    status: 'RESOURCE_EXHAUSTED',
    details: [
      { '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [] },
      { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '12.4s' },
    ],
  },
} as const;

export const BAD_KEY_ERROR = {
  error: {
    code: 400,
    message: 'API key not valid. Please pass a valid API key.',
    status: 'INVALID_ARGUMENT',
    details: [
      {
        '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
        reason: 'API_KEY_INVALID',
        domain: 'googleapis.com',
      },
    ],
  },
} as const;

export function eventOf(response: object): Buffer {
  return Buffer.from(`data: ${JSON.stringify(response)}\r\n\r\n`);
}
