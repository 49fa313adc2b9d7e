import { expect } from '@jest/globals';
import {
  END,
  type ExpectedReplies,
  LENGTH,
  REFUSAL,
  TOOL_CALLS,
  text,
  thinking,
  toolUse,
} from '../recorded-replies.fixture';

const provider = 'google';
/** The signature of a call is a block before it. */
const CALL_SIGNATURE = thinking('', 'gw1.gemini.~call~Zmlyc3Q=');
const GENERATED_ID = expect.stringMatching(/^call_[0-9a-f]{32}$/) as unknown as string;

/**
 * The recordings follow the documented shapes (ai.google.dev/api/generate-content,
 * /gemini-api/docs/{thinking,function-calling,thought-signatures,troubleshooting}); texts and figures are ours.
 */
export const expectedGemini: ExpectedReplies = {
  'text.json': {
    title: "reads Gemini's plain reply as recorded",
    provider,
    content: [text('Paris is the capital of France.')],
    finish: END,
    usage: { input: 9, output: 8 },
  },
  'text.sse': {
    title: "reads Gemini's stream as recorded: the figures of the last chunk count",
    provider,
    content: [text('Paris is the capital of France – naturellement.')],
    finish: END,
    usage: { input: 9, output: 11 },
  },
  'cached.json': {
    title: "charges Gemini's cached tokens as recorded: they are part of the prompt",
    provider,
    content: [text('Yes.')],
    finish: END,
    usage: { input: 106, cache_read: 2_042, output: 66, reasoning: 64 },
  },
  'thinking.json': {
    title: "reads Gemini's reply with thinking as recorded: thoughts are charged in addition to the answer",
    provider,
    content: [thinking('Two and two make four.'), text('Four.')],
    finish: END,
    usage: { input: 20, output: 14, reasoning: 12 },
  },
  'thinking.sse': {
    title: "reads Gemini's stream with thinking as recorded: it ends with a signature on an empty text",
    provider,
    content: [thinking('Let me see.'), text('Ein Satz.')],
    finish: END,
    usage: { input: 15, cache_read: 5, output: 15, reasoning: 12 },
  },
  'tool-calls.json': {
    title: "reads Gemini's function calls as recorded: only the first is signed, and the second has no id",
    provider,
    content: [CALL_SIGNATURE, toolUse('fc_1', 'find', { q: 'ä', n: 2 }), toolUse(GENERATED_ID, 'tell', {})],
    finish: TOOL_CALLS,
    usage: { input: 7, output: 11 },
  },
  'tool-calls.sse': {
    title: "reads Gemini's streamed function calls as recorded: each is complete in its chunk",
    provider,
    content: [CALL_SIGNATURE, toolUse('fc_1', 'find', { q: 'ä', n: 2 }), toolUse('fc_2', 'tell', {})],
    finish: TOOL_CALLS,
    usage: { input: 7, output: 41, reasoning: 30 },
  },
  'tool-call-pieces.sse': {
    title: "reads Gemini's function call in pieces as recorded: each piece names its path",
    provider,
    content: [CALL_SIGNATURE, toolUse('fc_1', 'find', { q: 'two words', n: 2 })],
    finish: TOOL_CALLS,
    usage: { input: 7, output: 9 },
  },
  'safety.sse': {
    title: "reads Gemini's stream that its safety filter ends as recorded: the text before it is charged",
    provider,
    content: [text('The first step')],
    finish: REFUSAL,
    usage: { input: 25, output: 3 },
  },
  'blocked-prompt.json': {
    title: "reads Gemini's refusal of a prompt as recorded: a 200 without candidates, charged as input",
    provider,
    content: [],
    finish: REFUSAL,
    usage: { input: 9 },
  },
  'max-tokens.json': {
    title: "reads Gemini's reply that reaches its maximum output as recorded: thoughts are part of it",
    provider,
    content: [text('Once upon a')],
    finish: LENGTH,
    usage: { input: 12, output: 23, reasoning: 20 },
  },
  'malformed-function-call.json': {
    title: "reports Gemini's malformed function call as recorded: the call failed and is free",
    provider,
    error: { code: 'upstream_failed', status: 502 },
  },
  'error-quota.json': {
    title: "reports Gemini's exhausted quota as recorded: with the delay from the body, rounded up",
    provider,
    httpStatus: 429,
    error: { code: 'rate_limited', status: 429, retryAfterSeconds: 13 },
  },
  'error-key.json': {
    title: "reports Gemini's refusal of our key as recorded: its 400 does not blame the client",
    provider,
    httpStatus: 400,
    error: { code: 'upstream_unavailable', status: 502 },
  },
  'error-event.sse': {
    title: "ends Gemini's stream at its error event as recorded: the usage before it is charged",
    provider,
    content: [text('Half of the answer')],
    usage: { input: 9, output: 4 },
    error: { code: 'upstream_failed', status: 200 },
  },
  'cut.sse': {
    title: "ends Gemini's cut stream with an error as recorded: the cut chunk is neither shown nor charged",
    provider,
    content: [text('One two three four five')],
    usage: { input: 9, output: 5 },
    error: { code: 'upstream_failed', status: 200 },
  },

  'vertex-thinking.sse': {
    title: "reads Vertex AI's stream with thinking as recorded: only its last chunk has figures",
    provider: 'vertex',
    content: [thinking('Let me see.'), text('Ein Satz.')],
    finish: END,
    usage: { input: 15, output: 15, reasoning: 12 },
  },
  'vertex-tool-call.json': {
    title: "reads Vertex AI's function call as recorded: it has no id",
    provider: 'vertex',
    content: [CALL_SIGNATURE, toolUse(GENERATED_ID, 'find', { q: 'ä' })],
    finish: TOOL_CALLS,
    usage: { input: 7, output: 5 },
  },
  'vertex-error-permission.json': {
    title: "reports Vertex AI's missing permission as recorded: the client learns nothing about our project",
    provider: 'vertex',
    httpStatus: 403,
    error: { code: 'upstream_unavailable', status: 502 },
  },
  'vertex-error-quota.json': {
    title: "reports Vertex AI's exhausted quota as recorded: an error in an array, without a wait",
    provider: 'vertex',
    httpStatus: 429,
    error: { code: 'rate_limited', status: 429, retryAfterSeconds: 1 },
  },
  'vertex-error-argument.json': {
    title: "reports Vertex AI's refusal of a parameter as recorded: the client receives the reason",
    provider: 'vertex',
    httpStatus: 400,
    error: {
      code: 'invalid_request',
      status: 400,
      detail: 'Unable to submit request because it must have a text parameter.',
    },
  },
};
