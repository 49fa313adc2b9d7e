import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { REPOSITORY } from '@gateway/local-stack';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ConfigFileError, readConfigFile } from './config-file';

let folder: string;
let startFolder: string | undefined;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-config-'));
  startFolder = process.env.INIT_CWD;
  process.env.INIT_CWD = folder;
});
afterAll(() => {
  if (startFolder === undefined) delete process.env.INIT_CWD;
  else process.env.INIT_CWD = startFolder;
  rmSync(folder, { recursive: true });
});

async function problemsOf(text: string): Promise<readonly string[]> {
  const file = join(folder, 'gateway.yaml');
  writeFileSync(file, text);
  try {
    await readConfigFile(file);
    return [];
  } catch (error) {
    if (error instanceof ConfigFileError) return error.problems;
    throw error;
  }
}

test('the example is valid', async () => {
  const { config } = await readConfigFile(join(REPOSITORY, 'deploy/gateway.example.yaml'));
  expect(Object.keys(config)).toEqual(['providers', 'models', 'settings']);
});

test('an empty file is valid', async () => {
  expect(await problemsOf('')).toEqual([]);
});

const MISTAKES = `
providers:
  - id: Groq                                  # 1
    kind: telnet                              # 2
    base_url: ftp://example.com               # 3
    headers: { Authorization: Bearer x }      # 4
    credentials:
      - name: main
        secret: sk-in-the-file                # 5, 6
      - name: main                            # 7
        secret_ref: env:SERVICE_SECRET        # 8
        weight: -1                            # 9
  - id: two
    kind: openai
    options: { preset: nowhere }              # 10
  - id: two                                   # 11
    kind: bedrock                             # 12: no region
    enabled: maybe                            # 13
models:
  - slug: No Slug                             # 14
    name: A model
    input_modalities: [smell]                 # 15
    output_modalities: [text]
    context_length: -5                        # 16
    targets:
      - upstream_model: x                     # 17
    pricing:
      source: us
      source_date: yesterday                  # 18
      tokens: { input: cheap }                # 19
setings: {}                                   # 20
settings: { requests_per_second: 0 }          # 21
`;

test('every mistake is reported with its line and its path', async () => {
  const problems = await problemsOf(MISTAKES);
  const expected = [
    ':3 providers[0].id: must be 1 to 63 of',
    ':4 providers[0].kind: must be one of openai, anthropic,',
    ':5 providers[0].base_url: must be an http or https URL',
    ':6 providers[0].headers: names must be lowercase',
    ':8 providers[0].credentials[0].secret_ref: Invalid input',
    ':8 providers[0].credentials[0]: Unrecognized key: "secret"',
    ':10 providers[0].credentials[1].name: is that of providers[0].credentials[0] too',
    ':11 providers[0].credentials[1].secret_ref: must be env:CREDENTIAL_<NAME> or file:<name>',
    ':12 providers[0].credentials[1].weight: Too small',
    ':15 providers[1].options.preset: unknown for kind openai',
    ':16 providers[2].id: is that of providers[1] too',
    'providers[2].options.region: ',
    ':18 providers[2].enabled: Invalid input',
    ':20 models[0].slug: is not <provider>/<model> in lower case',
    ':22 models[0].input_modalities[0]: Invalid option',
    ':24 models[0].context_length: Too small',
    ':26 models[0].targets[0].provider: Invalid input',
    ':29 models[0].pricing.source_date: Invalid ISO date',
    ':30 models[0].pricing.tokens.input: is not a decimal amount',
    ' Unrecognized key: "setings"',
    ':32 settings.requests_per_second: Too small',
  ];
  for (const problem of expected) {
    expect([problem, problems.filter((line) => line.includes(problem)).length]).toEqual([problem, 1]);
  }
  expect(problems.length).toBe(expected.length);
  expect(problems.join()).not.toContain('sk-in-the-file');
});

describe('a file is refused', () => {
  test.each([
    ['that is not YAML', 'providers: [', /^gateway\.yaml: .*at line 1/],
    ['with a key twice', 'models: []\nmodels: []', /^gateway\.yaml: Map keys must be unique at line 2/],
    ['that is a list', '- a', /Invalid input/],
    [
      'with a price of more digits than a number keeps',
      modelWith('0.12345678901234567'),
      /tokens\.input: is not/,
    ],
  ])('%s', async (_what, text, problem) => {
    const problems = await problemsOf(text);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(problem);
  });

  test('that does not exist', async () => {
    await expect(readConfigFile(join(folder, 'none.yaml'))).rejects.toThrow('none.yaml: ENOENT');
  });
});

function modelWith(price: string): string {
  return `
models:
  - slug: a/b
    name: A model
    input_modalities: [text]
    output_modalities: [text]
    context_length: 10
    max_output_tokens: 10
    targets: [{ provider: a, upstream_model: b }]
    pricing: { source: us, source_date: 2026-01-01, tokens: { input: ${price}, output: 1 } }
`;
}

test('prices may be numbers or text, and dates need no quotes', async () => {
  expect(await problemsOf(modelWith('0.075'))).toEqual([]);
  expect(await problemsOf(modelWith('"0.075"'))).toEqual([]);
  expect(await problemsOf(modelWith('0'))).toEqual([]);
});
