import { type AddressInfo, createServer } from 'node:net';
import { planProviders } from '@gateway/local-stack';
import { describe, expect, test } from '@jest/globals';
import { readStartSettings } from './start-settings';

/** Listens on a free port. */
async function listen(): Promise<{ port: string; close(): Promise<void> }> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port: String(port),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

describe('readStartSettings', () => {
  test('reads engines, ports and data folder from the environment', async () => {
    const env = {
      GATEWAY_DATA_DIR: '/data',
      EDGE_API_PORT: '0',
      EDGE_DASHBOARD_PORT: '0',
      REDIS_URL: 'rediss://x',
      REDIS_CA_FILE: '/ca.pem',
      KAFKA_TLS: 'on',
    };
    const { dataDir, engines, settings } = await readStartSettings(env, '/default');
    expect(dataDir).toBe('/data');
    expect(engines).toEqual({
      serviceDatabaseUrls: {},
      redisUrl: 'rediss://x',
      redisSettings: { REDIS_URL: 'rediss://x', REDIS_CA_FILE: '/ca.pem' },
      kafkaSettings: { KAFKA_TLS: 'on' },
    });
    expect(settings?.edge).toMatchObject({ EDGE_API_PORT: '0', EDGE_DASHBOARD_PORT: '0' });
  });

  test('accepts the logins of services only together with DATABASE_URL', async () => {
    const ports = { EDGE_API_PORT: '0', EDGE_DASHBOARD_PORT: '0' };
    const given = {
      ...ports,
      DATABASE_URL: 'postgres://owner@h/d',
      MEDIA_DATABASE_URL: 'postgres://media@h/d',
    };
    expect((await readStartSettings(given, '/default')).engines).toMatchObject({
      databaseUrl: 'postgres://owner@h/d',
      serviceDatabaseUrls: { media: 'postgres://media@h/d' },
    });
    await expect(readStartSettings({ ...given, DATABASE_URL: '' }, '/default')).rejects.toThrow(
      'MEDIA_DATABASE_URL requires DATABASE_URL',
    );
  });

  test('sets PUBLIC_API_URL of the dashboard unless it is configured or the address of the API is unknown', async () => {
    const { port, close } = await listen();
    await close();
    const dashboardSettings = async (env: NodeJS.ProcessEnv) =>
      (await readStartSettings({ EDGE_API_PORT: port, EDGE_DASHBOARD_PORT: '0', ...env }, '/default'))
        .settings?.dashboard;
    expect(await dashboardSettings({})).toEqual({ PUBLIC_API_URL: `http://127.0.0.1:${port}` });
    expect(await dashboardSettings({ PUBLIC_API_URL: 'https://api.example.com' })).toEqual({});
    expect(await dashboardSettings({ EDGE_API_HOSTS: 'api.test' })).toEqual({});
    expect(await dashboardSettings({ EDGE_API_PORT: '0' })).toEqual({});
  });

  test('several edges share ports, which are chosen before they start', async () => {
    const env = { EDGE_API_PORT: '0', EDGE_DASHBOARD_PORT: '0', EDGE_INSTANCES: '2' };
    const machine = { cores: 2, platform: 'linux' as const };
    const { instances, settings } = await readStartSettings(env, '/default', machine);
    expect(instances).toMatchObject({ edge: 2 });
    expect(settings?.edge).toMatchObject({ EDGE_REUSE_PORT: 'on' });
    expect(Number(settings?.edge?.EDGE_API_PORT)).toBeGreaterThan(0);
    expect(Number(settings?.edge?.EDGE_DASHBOARD_PORT)).toBeGreaterThan(0);
  });

  test.each(['http', '70000', '-1', '80.5'])('refuses %s as a port and names the setting', async (port) => {
    await expect(readStartSettings({ EDGE_API_PORT: port }, '/default')).rejects.toThrow(
      `EDGE_API_PORT: ${port} is not a port.`,
    );
  });

  test('names the setting of a port that is in use', async () => {
    const other = await listen();
    const env = { EDGE_API_PORT: '0', EDGE_DASHBOARD_PORT: other.port };
    await expect(readStartSettings(env, '/default')).rejects.toThrow(
      `EDGE_DASHBOARD_PORT: port ${other.port} is in use`,
    );
    await other.close();
  });
});

describe('planProviders', () => {
  test('simulates providers without a key', () => {
    const { settings, simulated } = planProviders(
      { XAI_API_KEY: 'k', XAI_BASE_URL: 'http://x' },
      'http://sim',
    );
    expect(simulated.map(({ name }) => name)).toEqual([
      'openai',
      'anthropic',
      'google',
      'deepseek',
      'mistral',
      'bfl',
      'minimax',
      'kling',
      'alibaba',
    ]);
    expect(settings).toMatchObject({
      chat: {
        CHAT_PROVIDERS: 'openai,anthropic,google,deepseek,mistral,xai',
        OPENAI_BASE_URL: 'http://sim/openai/v1',
        ANTHROPIC_BASE_URL: 'http://sim/anthropic',
        GEMINI_BASE_URL: 'http://sim/gemini',
        XAI_API_KEY: 'k',
        XAI_BASE_URL: 'http://x',
      },
      media: {
        MEDIA_PROVIDERS: 'openai,google,mistral,bfl,minimax,kling,alibaba',
        OPENAI_API_KEY: 'simulated',
        GEMINI_BASE_URL: 'http://sim/gemini',
        DASHSCOPE_BASE_URL: 'http://sim/dashscope',
        KLING_SECRET_KEY: 'simulated',
      },
    });
    expect(settings.media).not.toHaveProperty('XAI_API_KEY');
    expect(settings.chat).not.toHaveProperty('BFL_API_KEY');
  });

  test('does not set the address of a provider with a key', () => {
    const { settings } = planProviders({ XAI_API_KEY: 'k', OPENAI_API_KEY: 'o' }, 'http://sim');
    expect(settings.chat).not.toHaveProperty('XAI_BASE_URL');
    expect([settings.chat.OPENAI_API_KEY, settings.media.OPENAI_API_KEY]).toEqual(['o', 'o']);
    expect(settings.media).not.toHaveProperty('OPENAI_BASE_URL');
  });

  test('simulates a provider that needs two credentials unless both are set', () => {
    const kling = (env: NodeJS.ProcessEnv) => {
      const { settings, simulated } = planProviders(env, 'http://sim');
      const names = simulated.map(({ name }) => name);
      return [names.includes('kling'), settings.media.KLING_ACCESS_KEY, settings.media.KLING_BASE_URL];
    };
    expect(kling({ KLING_ACCESS_KEY: 'a' })).toEqual([true, 'simulated', 'http://sim/kling']);
    expect(kling({ KLING_ACCESS_KEY: 'a', KLING_SECRET_KEY: 's' })).toEqual([false, 'a', undefined]);
  });
});
