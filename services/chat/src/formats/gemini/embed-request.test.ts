import { GatewayError } from '@gateway/errors';
import { expect, test } from '@jest/globals';
import { parseBatchEmbedContents, parseEmbedContent } from './embed-request';

const content = { parts: [{ text: 'one' }] };
const single = (fields: object) => parseEmbedContent(Buffer.from(JSON.stringify(fields)), 'sim/e');
const batch = (...requests: object[]) =>
  parseBatchEmbedContents(Buffer.from(JSON.stringify({ requests })), 'sim/e');
function errorOf(parse: () => unknown): string {
  try {
    parse();
    return 'none';
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return `${error.code} ${error.param ?? error.detail}`;
  }
}

test('a content is read with its task, size and title, in both cases of names', () => {
  const expected = {
    model: 'sim/e',
    inputs: { kind: 'texts', list: ['one'] },
    encoding: 'float',
    dimensions: 8,
    inputType: 'search_query',
    taskType: 'QUESTION_ANSWERING',
    titles: ['T'],
  };
  const fields = { model: 'models/sim/e', content, title: 'T' };
  expect(single({ ...fields, taskType: 'QUESTION_ANSWERING', outputDimensionality: 8 })).toEqual(expected);
  expect(single({ ...fields, task_type: 'QUESTION_ANSWERING', output_dimensionality: 8 })).toEqual(expected);
});

test('requests of a batch are inputs in their order, and the parts of a content are one input', () => {
  const parts = [{ text: 'two ' }, { text: 'three' }];
  const { inputs, titles } = batch({ content, title: 'T' }, { content: { parts } });
  expect(inputs.list).toEqual(['one', 'two three']);
  expect(titles).toEqual(['T', undefined]);
});

test.each([
  ['another model', () => single({ content, model: 'models/sim/x' }), 'invalid_request model: must be the'],
  [
    'another model in a batch',
    () => batch({ content }, { content, model: 'sim/x' }),
    'invalid_request requests[1].model: must be the model of the path',
  ],
  [
    'a second task',
    () => batch({ content }, { content, taskType: 'CLUSTERING' }),
    'invalid_request requests[1].taskType: must be the same in all requests',
  ],
  [
    'a second size',
    () => batch({ content, outputDimensionality: 8 }, { content }),
    'invalid_request requests[1].outputDimensionality: must be the same',
  ],
  ['an unknown task', () => single({ content, taskType: 'X' }), 'invalid_request taskType: must be one of'],
  [
    'an image',
    () => single({ content: { parts: [{ inlineData: { mimeType: 'image/png', data: '' } }] } }),
    'invalid_request content.parts[0]',
  ],
  ['no content', () => single({}), 'missing_parameter content'],
  [
    'an empty text',
    () => batch({ content: { parts: [{ text: '' }] } }),
    'missing_parameter requests[0].content',
  ],
  ['no request', () => batch(), 'missing_parameter requests'],
])('%s is refused', (_, parse, error) => {
  expect(errorOf(parse)).toContain(error);
});
