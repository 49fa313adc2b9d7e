import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ModelNameRewriter } from './model-name-rewriter';

const SLUG = 'openai/gpt “x”';

describe('a complete reply', () => {
  const inReply = (json: string) => new ModelNameRewriter(SLUG).inReply(Buffer.from(json)).toString();

  test.each([
    '{"model":"gpt-x","id":"msg_1","content":[{"type":"text","text":"\\"model\\":\\"gpt-x\\""}],"usage":{}}',
    '{\n "id": "msg_“",\n "type": "message",\n "model" : "gpt-x",\n "content": [],\n "n": 1.0\n}',
    '{"id":"a","container":{"model":"b"},"model":"gpt-x","content":[{"type":"tool_use","input":{"model":"c"}}]}',
    '{"choices":[{"message":{"content":"a","tool":{"model":"b"}}}],"model":"gpt-x"}',
  ])('changes only in its own model: %s', (json) => {
    expect(inReply(json)).toBe(json.replace('"gpt-x"', JSON.stringify(SLUG)));
  });

  test('names the slug where the provider names null', () => {
    expect(inReply('{"model":null,"choices":[]}')).toBe(`{"model":${JSON.stringify(SLUG)},"choices":[]}`);
  });

  test('is unchanged when it names no model', () => {
    const json = '{"content":[{"type":"tool_use","input":{"model":"x"}}]}';
    expect(inReply(json)).toBe(json);
  });
});

describe('an event of a stream', () => {
  const chunk = (model: string, content: string, id = 'c') =>
    `data: ${JSON.stringify({ id, model, choices: [{ delta: { content } }] })}\n\n`;

  test.each([
    ['not as short', 'gpt'],
    ['not as long', 'gpt-5.5-2026-03-17-of-the-longest-kind'],
    ['as long', 'x'.repeat(Buffer.byteLength(SLUG))],
  ])("names a slug that is %s as the provider's name, and leaves the rest unchanged", (_, theirs) => {
    const model = new ModelNameRewriter(SLUG);
    const contents = ['a', '', '"model":"b"', 'ä€', `${theirs} {"model":"${theirs}"}`];
    const sent = Buffer.from(contents.map((content) => chunk(theirs, content)).join(''));
    let at = 0;
    const events = contents.map((content) => {
      const { length } = Buffer.from(chunk(theirs, content));
      at += length;
      return sent.subarray(at - length, at);
    });
    const passed = events.map((event) => model.inEvent(event));
    expect(Buffer.concat(passed).toString()).toBe(contents.map((content) => chunk(SLUG, content)).join(''));
  });

  test('names the slug, also when events begin differently', () => {
    const model = new ModelNameRewriter(SLUG);
    for (const [theirs, id] of [
      ['gpt-5.5-long-name', '1'],
      ['gpt-5.5-long-name', '22'],
      ['', '1'],
      ['gpt', '1'],
    ] as const) {
      expect(model.inEvent(Buffer.from(chunk(theirs, 'a', id))).toString()).toBe(chunk(SLUG, 'a', id));
    }
  });

  test.each([
    'data: [DONE]\n\n',
    ': wait\n\n',
    'data: {"error":{"message":"overloaded","model":"gpt"}}\n\n',
    'data: {"choices":[{"delta":{"content":"\\"model\\":\\"gpt\\""}}]}\n\n',
    'data: {"model":"gp\n\n',
  ])('is unchanged without a model: %j', (event) => {
    const model = new ModelNameRewriter(SLUG);
    model.inEvent(Buffer.from(chunk('gpt', 'a')));
    expect(model.inEvent(Buffer.from(event)).toString()).toBe(event);
  });
});

test('has the slug only in its top-level model, whatever it contains and wherever the member stands', () => {
  const object = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 });
  const inner = fc.record({ model: fc.string(), choices: fc.string() });
  const parts = fc.tuple(object, inner, fc.string(), object);
  fc.assert(
    fc.property(parts, ([before, nested, theirs, after]) => {
      const { model: _1, ...head } = before;
      const { model: _2, ...tail } = after;
      const sent = { ...head, nested, model: theirs, ...tail };
      const event = Buffer.from(`data: ${JSON.stringify(sent)}\n\n`);
      const passed = new ModelNameRewriter(SLUG).inEvent(event).toString();
      expect(passed).toBe(`data: ${JSON.stringify({ ...sent, model: SLUG })}\n\n`);
    }),
  );
});

test('that is truncated or garbled stays one event', () => {
  const whole = `data: ${JSON.stringify({ id: 'a', model: 'gpt', choices: [{ delta: { content: 'a' } }] })}`;
  const garbled = fc
    .tuple(fc.nat(whole.length), fc.nat(whole.length), fc.string())
    .map(([from, to, text]) => {
      const bytes = whole.slice(0, from) + text + whole.slice(to);
      return `${bytes.replaceAll('\n', ' ')}\n\n`;
    });
  fc.assert(
    fc.property(garbled, (event) => {
      const model = new ModelNameRewriter(SLUG);
      model.inEvent(Buffer.from(`${whole}\n\n`));
      const passed = model.inEvent(Buffer.from(event)).toString();
      expect(passed.indexOf('\n\n')).toBe(passed.length - 2);
    }),
  );
});
