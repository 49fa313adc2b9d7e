import { describe, expect, test } from '@jest/globals';
import { baseUrlOf, simulatedProviders, simulatorProblems } from './provider-address';

const SIMULATOR = 'http://simulator:7199/openai/v1';
const openai = { env: 'OPENAI', baseUrl: 'https://api.openai.com/v1', simulatedPath: '/openai/v1' };
const kling = {
  env: 'KLING',
  baseUrl: 'https://kling.example.com',
  simulatedPath: '/kling',
  credentials: ['ACCESS_KEY', 'SECRET_KEY'],
};
const known = { openai, kling };

describe('the base URL of a provider', () => {
  test.each([
    ['its default for a real key', { OPENAI_API_KEY: 'sk-real' }, SIMULATOR, 'https://api.openai.com/v1'],
    [
      'the simulator’s for a simulated key',
      { OPENAI_API_KEY: 'simulated' },
      SIMULATOR,
      'http://simulator:7199/openai/v1',
    ],
    [
      'its default without a simulator',
      { OPENAI_API_KEY: 'simulated' },
      undefined,
      'https://api.openai.com/v1',
    ],
    [
      'the configured one',
      { OPENAI_API_KEY: 'x', OPENAI_BASE_URL: 'https://proxy/v1' },
      SIMULATOR,
      'https://proxy/v1',
    ],
  ])('is %s', (_which, env, simulator, url) => {
    expect(baseUrlOf(openai, env, simulator)).toBe(url);
  });

  test('is the simulator’s only if all credentials are simulated', () => {
    const env = { KLING_ACCESS_KEY: 'simulated', KLING_SECRET_KEY: 'real' };
    expect(baseUrlOf(kling, env, SIMULATOR)).toBe('https://kling.example.com');
    expect([...simulatedProviders(known, { ...env, OPENAI_API_KEY: 'simulated' }, SIMULATOR)]).toEqual([
      'sim',
      'sim-unreachable',
      'openai',
    ]);
  });
});

describe('simulator settings', () => {
  const production = { NODE_ENV: 'production', OPENAI_API_KEY: 'simulated' };

  test('are refused in production unless ALLOW_SIMULATOR is 1', () => {
    expect(simulatorProblems([openai], production, SIMULATOR)).toEqual([
      'SIM_BASE_URL: the simulator is refused in production, unless ALLOW_SIMULATOR=1',
      'OPENAI: a simulated provider is refused in production, unless ALLOW_SIMULATOR=1',
    ]);
    expect(simulatorProblems([openai], production, undefined)).toHaveLength(1);
    for (const ALLOW_SIMULATOR of ['', '0', 'true']) {
      expect(simulatorProblems([], { ...production, ALLOW_SIMULATOR }, SIMULATOR)).toHaveLength(1);
    }
    expect(simulatorProblems([openai], { ...production, ALLOW_SIMULATOR: '1' }, SIMULATOR)).toEqual([]);
    expect(simulatorProblems([openai], { OPENAI_API_KEY: 'simulated' }, SIMULATOR)).toEqual([]);
    expect(simulatorProblems([openai], { ...production, OPENAI_API_KEY: 'sk-real' }, undefined)).toEqual([]);
  });

  test('are refused if the simulator would receive a real credential, even with ALLOW_SIMULATOR=1', () => {
    const env = { ALLOW_SIMULATOR: '1', OPENAI_API_KEY: 'sk-real', OPENAI_BASE_URL: SIMULATOR };
    const problem = 'OPENAI_BASE_URL: a real credential would be sent to the simulator';
    expect(simulatorProblems([openai], env, SIMULATOR)).toEqual([problem]);
    const half = {
      KLING_ACCESS_KEY: 'simulated',
      KLING_SECRET_KEY: 'real',
      KLING_BASE_URL: 'http://simulator:7199/kling',
    };
    expect(simulatorProblems([kling], half, SIMULATOR)).toHaveLength(1);
  });
});
