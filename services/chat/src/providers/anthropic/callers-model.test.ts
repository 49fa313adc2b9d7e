import { expect, test } from '@jest/globals';
import { withCallersModel } from './callers-model';

const MODEL = 'anthropic/claude “x”';
const passed = (json: string) =>
  withCallersModel({ bytes: Buffer.from(json), value: JSON.parse(json) }, MODEL).toString();

test.each([
  '{"model":"claude-x","id":"msg_1","content":[{"type":"text","text":"\\"model\\":\\"claude-x\\""}],"usage":{}}',
  '{\n "id": "msg_“",\n "type": "message",\n "model" : "claude-x",\n "content": [],\n "n": 1.0\n}',
  '{"id":"a","container":null,"model":"claude-x","content":[{"type":"tool_use","input":{"model":"claude-x"}}]}',
])('%s: only the name changes', (json) => {
  expect(passed(json)).toBe(json.replace('"claude-x"', JSON.stringify(MODEL)));
});

test.each([
  '{"content":[{"type":"tool_use","input":{"model":"claude-x"}}],"model":"claude-x"}',
  '{"id":"a","container":{"model":"b"},"model":"claude-x","content":[]}',
  '{"model":"claude\\u002dx","content":[]}',
  '{"model":null,"content":[{"type":"text","text":"null"}]}',
])('%s: the name of the reply changes, whatever stands before it', (json) => {
  expect(JSON.parse(passed(json))).toEqual({ ...JSON.parse(json), model: MODEL });
});

test('a reply that tells none passes as it is', () => {
  const json = '{"content":[{"type":"tool_use","input":{"model":"x"}}]}';
  expect(passed(json)).toBe(json);
});
