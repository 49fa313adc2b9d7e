import { expect, test } from '@jest/globals';
import { defaultBaseUrl, optionProblems } from './provider-kinds';

test.each([
  [undefined, 'https://aiplatform.googleapis.com'],
  ['global', 'https://aiplatform.googleapis.com'],
  ['us', 'https://aiplatform.us.rep.googleapis.com'],
  ['eu', 'https://aiplatform.eu.rep.googleapis.com'],
  ['europe-west1', 'https://europe-west1-aiplatform.googleapis.com'],
])('the location %s of Vertex AI is at %s', (location, url) => {
  expect(defaultBaseUrl('vertex', { location })).toBe(url);
  expect(defaultBaseUrl('vertex-anthropic', { project: 'p', location })).toBe(url);
});

test.each([{}, { project: 'my-project-1' }, { project: 'example.com:p', location: 'us-east5' }])(
  '%j are options of Gemini on Vertex AI',
  (options) => expect(optionProblems('vertex', options)).toEqual([]),
);

test.each([{ project: '../x' }, { location: 'evil.example/' }, { location: '' }, { region: 'eu' }])(
  '%j are refused as options of Gemini on Vertex AI',
  (options) => expect(optionProblems('vertex', options)).toHaveLength(1),
);

test('Claude on Vertex AI needs a project', () => {
  expect(optionProblems('vertex-anthropic', { location: 'eu' })).toEqual([
    expect.stringMatching(/^options\.project: /),
  ]);
});
