import { describe, expect, test } from '@jest/globals';
import type { Conversation, ToolChoice } from '../../domain/conversation';
import { forcesTool, writeTools } from './write-tools';

const tool = (name: string) => ({ name, parameters: {} });
const of = (toolChoice: ToolChoice, more: Partial<Conversation> = {}): Conversation => ({
  system: [],
  turns: [],
  tools: [tool('f'), tool('g')],
  toolChoice,
  output: { kind: 'text' },
  sampling: { stop: [] },
  stream: false,
  ...more,
});

describe('the tool choice', () => {
  test.each<[string, ToolChoice, boolean | undefined, object | undefined]>([
    ['auto', { kind: 'auto' }, undefined, undefined],
    ['auto, one at a time', { kind: 'auto' }, false, { type: 'auto', disable_parallel_tool_use: true }],
    ['auto, in parallel', { kind: 'auto' }, true, undefined],
    ['none', { kind: 'none' }, false, { type: 'none' }],
    ['required', { kind: 'required' }, undefined, { type: 'any' }],
    [
      'a tool, once',
      { kind: 'tool', name: 'g' },
      false,
      { type: 'tool', name: 'g', disable_parallel_tool_use: true },
    ],
  ])('%s', (_, toolChoice, parallelToolCalls, expected) => {
    const conversation = of(toolChoice, { ...(parallelToolCalls !== undefined && { parallelToolCalls }) });
    expect(writeTools(conversation, true).tool_choice).toEqual(expected);
  });

  test('allowed_tools hides the other tools', () => {
    const { tools, tool_choice } = writeTools(of({ kind: 'allowed', names: ['g'], required: true }), true);
    expect(tools!.map(({ name }) => name)).toEqual(['g']);
    expect(tool_choice).toEqual({ type: 'any' });
  });

  test('is none without tools', () => {
    expect(writeTools(of({ kind: 'required' }, { tools: [] }), true)).toEqual({});
    expect(writeTools(of({ kind: 'allowed', names: [], required: false }), true)).toEqual({});
  });

  test.each<[ToolChoice, boolean]>([
    [{ kind: 'auto' }, false],
    [{ kind: 'none' }, false],
    [{ kind: 'required' }, true],
    [{ kind: 'tool', name: 'f' }, true],
    [{ kind: 'allowed', names: ['f'], required: true }, true],
    [{ kind: 'allowed', names: ['f'], required: false }, false],
  ])('%j forces: %s', (choice, forces) => expect(forcesTool(of(choice))).toBe(forces));

  test('does not force a tool that is missing', () =>
    expect(forcesTool(of({ kind: 'required' }, { tools: [] }))).toBe(false));
});

describe('a tool', () => {
  const written = (more: object, compiles = true) =>
    writeTools(of({ kind: 'auto' }, { tools: [{ ...tool('f'), ...more }] }), compiles).tools![0];

  test('has an object schema', () =>
    expect(written({ description: 'd' })).toEqual({
      name: 'f',
      description: 'd',
      input_schema: { type: 'object' },
    }));

  test('keeps its schema unchanged', () => {
    const parameters = { $schema: 'x', type: 'object', properties: { a: { type: 'string', const: 'b' } } };
    expect(written({ parameters })!.input_schema).toEqual(parameters);
  });

  test('is strict if its schema can be compiled', () => {
    const parameters = { type: 'object', properties: { a: { type: 'number', minimum: 1 } } };
    expect(written({ parameters, strict: true })).toEqual({
      name: 'f',
      strict: true,
      input_schema: {
        type: 'object',
        properties: { a: { type: 'number', description: 'minimum: 1' } },
        additionalProperties: false,
      },
    });
    expect(written({ parameters, strict: true }, false)).toEqual({ name: 'f', input_schema: parameters });
    const open = { type: 'object', additionalProperties: true };
    expect(written({ parameters: open, strict: true })).toEqual({ name: 'f', input_schema: open });
  });

  test('can be cached', () =>
    expect(written({ cache: { ttl: '5m' } })).toMatchObject({ cache_control: { type: 'ephemeral' } }));
});
