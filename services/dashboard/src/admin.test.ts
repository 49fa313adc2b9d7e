import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import {
  changesOf,
  type Dashboard,
  startDashboard,
  startWorld,
  type World,
} from './testing/dashboard-fixture';

jest.setTimeout(30_000);

let world: World;
let dashboard: Dashboard;
let operator: string;
let owner: { email: string; token: string; account: { id: string } };

beforeAll(async () => {
  world = await startWorld();
  dashboard = await startDashboard(world);
  operator = await dashboard.loginOperator();
});
beforeEach(async () => {
  owner = await dashboard.register();
  world.catalog.edits.length = 0;
});
afterAll(async () => {
  await dashboard?.stop();
  await world?.stop();
});

const get = (path: string) => dashboard.get(`admin/${path}`, operator);
const post = (path: string, body?: unknown, headers = {}) =>
  dashboard.post(`admin/${path}`, body, operator, headers);
const balance = () => world.billing.accounts.get(owner.account.id)?.balanceNano;
const lastEdit = () => world.catalog.edits.at(-1);

describe('accounts', () => {
  test('are listed in pages and retrieved by id', async () => {
    await post(`accounts/${owner.account.id}/topups`, { amount: 1.5, status: 'cleared' });
    const first = (await get('accounts?limit=1')).body;
    expect(first.data).toHaveLength(1);
    const rest = (await get(`accounts?limit=1000&cursor=${first.next_cursor}`)).body;
    expect(rest.next_cursor).toBeNull();
    const shown = rest.data.find(({ id }: { id: string }) => id === owner.account.id);
    expect(shown).toEqual({
      id: owner.account.id,
      owner_email: owner.email,
      name: 'A user',
      status: 'active',
      created_at: '2026-01-02T03:04:05.000Z',
      balance: 1.5,
      held: 0,
      available: 1.5,
      currency: 'USD',
      daily_limit: null,
      when_short: 'lower',
      bare_model_names: false,
      preview_models: [],
      cell: 'home',
    });
    expect((await get(`accounts/${owner.account.id}`)).body).toEqual(shown);
  });

  test('are suspended and reactivated', async () => {
    const suspend = (body?: unknown) => post(`accounts/${owner.account.id}/suspend`, body);
    for (const [body, status] of [
      [undefined, 'suspended'],
      [{ suspended: false }, 'active'],
      [{}, 'suspended'],
      [{ suspended: true }, 'suspended'],
    ] as const) {
      expect((await suspend(body)).body).toMatchObject({ id: owner.account.id, status });
    }
    expect((await suspend({ suspended: 'yes' })).body.error.code).toBe('invalid_request');
  });

  test('a leaked key of any account is revoked', async () => {
    const { id } = (await dashboard.post('keys', { name: 'leaked' }, owner.token)).body;
    const { body } = await post(`keys/${id}/revoke`);
    expect(body).toMatchObject({ id, status: 'revoked', account_id: owner.account.id });
    expect(body).not.toHaveProperty('key');
  });
});

describe('the search for a key by its value', () => {
  test('finds the key, and writes the value to no log and no response', async () => {
    const { id, key: value } = (await dashboard.post('keys', { name: 'found' }, owner.token)).body;
    const before = changesOf((await get('audit')).body);
    const { status, body } = await post('keys/find', { value: ` ${value}\n` });
    expect(status).toBe(200);
    expect(body).toMatchObject({ id, name: 'found', account_id: owner.account.id, status: 'enabled' });
    expect(body.value_ends_at).toBe('2026-01-02T03:04:05.000Z');
    expect(JSON.stringify(body)).not.toContain(value);
    const { body: audit } = await get('audit');
    expect(changesOf(audit)).toEqual(before);
    expect(audit.data[0]).toMatchObject({ action: 'operator.lookup', account_id: owner.account.id });
    expect(JSON.stringify(audit)).not.toContain(value);
  });

  test.each([
    [{ value: 'sk-gw-key_99999-1' }, 404, 'not_found'],
    [{ value: 'sk-gw-secret-part' }, 400, 'invalid_request'],
    [{ value: `sk-gw-secret-${'x'.repeat(1_000)}` }, 400, 'invalid_request'],
    [{ value: 5 }, 400, 'invalid_request'],
    [{ value: '' }, 400, 'missing_parameter'],
    [{}, 400, 'missing_parameter'],
  ])('refuses %p without repeating it', async (sent, status, code) => {
    const answer = await post('keys/find', sent);
    expect([answer.status, answer.body.error.code]).toEqual([status, code]);
    expect(JSON.stringify(answer.body)).not.toContain('secret');
  });
});

describe('adjustments', () => {
  const adjust = (body: unknown, headers = {}) =>
    post(`accounts/${owner.account.id}/adjustments`, body, headers);

  test('add and deduct exact amounts, also below a zero balance', async () => {
    const { body } = await adjust({ amount: -1.000000001, reason: 'a chargeback' });
    expect(body).toMatchObject({ account_id: owner.account.id, kind: 'adjustment', amount: -1.000000001 });
    expect(balance()).toBe(-1_000_000_001n);
    await adjust({ amount: 2, reason: 'goodwill' });
    expect(balance()).toBe(999_999_999n);
    expect(world.billing.calls.at(-1)?.request).toMatchObject({ reason: 'goodwill' });
    const ledger = [{ note: 'a chargeback' }, { note: 'goodwill' }, { kind: 'charge', note: null }];
    expect((await get(`accounts/${owner.account.id}/ledger`)).body.data).toMatchObject(ledger);
    expect((await dashboard.get('billing/ledger', owner.token)).body.data).toMatchObject(ledger);
  });

  test('the same Idempotency-Key adjusts an account once, and is separate from top-ups', async () => {
    const headers = { 'idempotency-key': 'case 7' };
    for (const _ of [1, 2]) await adjust({ amount: 1, reason: 'x' }, headers);
    expect(balance()).toBe(1_000_000_000n);
    await post(`accounts/${owner.account.id}/topups`, { amount: 1, status: 'cleared' }, headers);
    expect(balance()).toBe(2_000_000_000n);
    owner = await dashboard.register();
    await adjust({ amount: 1, reason: 'x' }, headers);
    expect(balance()).toBe(1_000_000_000n);
  });

  test('an empty or too long Idempotency-Key is refused', async () => {
    for (const key of ['', 'x'.repeat(256)]) {
      const answer = await adjust({ amount: 1, reason: 'x' }, { 'idempotency-key': key });
      expect(answer.body.error.code).toBe('invalid_request');
    }
    expect(balance()).toBe(0n);
  });

  test.each([
    [{ reason: 'x' }, 'missing_parameter', 'amount'],
    [{ amount: 1 }, 'missing_parameter', 'reason'],
    [{ amount: 1, reason: '' }, 'missing_parameter', 'reason'],
    [{ amount: null, reason: 'x' }, 'missing_parameter', 'amount'],
    [{ amount: 0, reason: 'x' }, 'invalid_request', undefined],
    [{ amount: '1', reason: 'x' }, 'invalid_request', undefined],
    [{ amount: 1e-10, reason: 'x' }, 'invalid_request', undefined],
    [{ amount: -1e10, reason: 'x' }, 'invalid_request', undefined],
    [{ amount: 1, reason: 'x'.repeat(201) }, 'invalid_request', undefined],
    [{ amount: 1, reason: 5 }, 'invalid_request', undefined],
  ])('refuse the body %p', async (body, code, param) => {
    const { error } = (await adjust(body)).body;
    expect([error.code, error.param]).toEqual([code, param]);
    expect(balance()).toBe(0n);
  });

  test("a number outside JSON's grammar is refused as invalid JSON", async () => {
    const answer = await dashboard.send(`/api/v1/admin/accounts/${owner.account.id}/adjustments`, {
      method: 'POST',
      headers: { authorization: `Bearer ${operator}`, 'content-type': 'application/json' },
      body: '{"amount":1e999,"reason":"x"}',
    });
    expect(answer.body.error.code).toBe('invalid_request');
  });
});

describe('the throttle', () => {
  test('is null until set, and null removes it', async () => {
    expect((await get('throttle')).body).toEqual({ requests_per_second: null });
    expect((await post('throttle', { requests_per_second: 50 })).body).toEqual({ requests_per_second: 50 });
    expect((await get('throttle')).body).toEqual({ requests_per_second: 50 });
    expect((await post('throttle', { requests_per_second: null })).body).toEqual({
      requests_per_second: null,
    });
    expect(world.billing.throttle.requestsPerSecond).toBe(0);
  });

  test.each([
    [{}, 'missing_parameter'],
    [{ requests_per_second: 0 }, 'invalid_request'],
    [{ requests_per_second: -1 }, 'invalid_request'],
    [{ requests_per_second: 1.5 }, 'invalid_request'],
    [{ requests_per_second: 1e7 }, 'invalid_request'],
    [{ requests_per_second: '5' }, 'invalid_request'],
  ])('refuses the setting %p', async (body, code) => {
    expect((await post('throttle', body)).body.error.code).toBe(code);
  });
});

describe('models', () => {
  const SIZE_RULE = { step_px: 16, max_edge_px: 3840, max_ratio: 3, min_pixels: 1, max_pixels: 8294400 };
  const NEW = {
    slug: 'sim/new',
    name: 'New',
    input_modalities: ['text'],
    output_modalities: ['text', 'image', 'video'],
    context_length: 1000,
    max_output_tokens: 100,
    output_floor_tokens: 10,
    workflow: ['create'],
    targets: [{ provider: 'sim', upstream_model: 'x', cost: { input: 0.05, output: 0.1 } }],
    strategy: 'lowest-price',
    fallback_models: ['sim/chat'],
    pricing: {
      source: 'a contract',
      source_date: '2026-02-01',
      tokens: {
        input: 0.075,
        output: 1e-9,
        cache_read: null,
        cache_write_1h: 2,
        service_tiers: { flex: { input: 1, output: 2 } },
        long_context: { above_tokens: 500, input: 3, output: 4 },
      },
      image: { per_image: [{ size: '1024x1024', price: 0.01 }], image_output: 40, input_megapixel: 0.015 },
      video: { tiers: ['std', 'Std'], default_tier: 'std', per_second: { std: 0.05, Std: 0.1 } },
    },
  };

  test('are created with exact prices, and listed at once', async () => {
    const made = await post('models', NEW);
    expect(lastEdit()).toMatchObject({
      method: 'CreateModel',
      request: {
        model: {
          slug: 'sim/new',
          status: 'MODEL_STATUS_ACTIVE',
          preview: false,
          successor: '',
          outputFloorTokens: 10,
          targets: [
            {
              provider: 'sim',
              upstreamModel: 'x',
              weight: 1,
              priority: 0,
              cost: { inputNano: '50000000', outputNano: '100000000' },
            },
          ],
          strategy: 'lowest-price',
          fallbackModels: ['sim/chat'],
          pricing: {
            source: 'a contract',
            sourceDate: '2026-02-01',
            tokens: {
              inputNano: '75000000',
              outputNano: '1',
              cacheWriteLongNano: '2000000000',
              serviceTiers: { flex: { inputNano: '1000000000' } },
              longContextAboveTokens: 500,
              longContext: { outputNano: '4000000000' },
            },
            image: {
              perImage: [{ size: '1024x1024', quality: '', priceNano: '10000000' }],
              imageOutputNano: '40000000000',
              inputMegapixelNano: '15000000',
            },
            video: { tiers: ['std', 'Std'], defaultTier: 'std', perSecondNano: { Std: '100000000' } },
          },
        },
      },
    });
    expect(made.body).toMatchObject({ ...NEW, status: 'active', pricing: { tokens: { input: 0.075 } } });
    const { targets, strategy, fallback_models, output_floor_tokens, max_image_tokens, ...listed } =
      made.body;
    expect([targets[0].cost, strategy, fallback_models, output_floor_tokens, max_image_tokens]).toEqual([
      { input: 0.05, output: 0.1, service_tiers: {}, units: {} },
      'lowest-price',
      ['sim/chat'],
      10,
      0,
    ]);
    expect((await dashboard.get('models/sim/new', owner.token)).body).toEqual(listed);
    expect((await get('models/sim/new')).body).toEqual(made.body);
  });

  test('of images and videos have features, which an update keeps or replaces', async () => {
    const image = {
      formats: ['png'],
      max_n: 4,
      sizes: ['64x64'],
      size_rule: SIZE_RULE,
      default_size: '64x64',
    };
    const video = { durations: [5], default_duration: 5, tiers: { Std: { resolution: '720p' } } };
    const made = await post('models', { ...NEW, image, video });
    expect(lastEdit()?.request).toMatchObject({
      model: {
        image: {
          formats: ['png'],
          maxN: 4,
          sizes: ['64x64'],
          sizeRule: { stepPx: 16, maxEdgePx: 3_840, maxRatio: 3, minPixels: '1', maxPixels: '8294400' },
          defaultSize: '64x64',
          mask: false,
        },
        video: { durations: [5], defaultDuration: 5, tiers: { Std: { resolution: '720p', durations: [] } } },
      },
    });
    expect(made.body).toMatchObject({ image: { ...image, max_input_images: 0 }, video });
    expect((await dashboard.get('models/sim/new', owner.token)).body.image).toEqual(made.body.image);
    await post('models/sim/new/update', { video: { ...video, durations: [5, 9] } });
    const { model } = lastEdit()!.request as { model: Record<string, unknown> };
    expect(model).toMatchObject({ image: { maxN: 4 }, video: { durations: [5, 9] } });
    expect(lastEdit()!.request).toMatchObject({ clearImage: false, clearVideo: false });
  });

  test('of images lose their features only by null', async () => {
    const cleared = await post('models/sim/both/update', { image: null });
    expect([cleared.status, cleared.body.image]).toEqual([200, null]);
    expect(lastEdit()!.request).toMatchObject({ clearImage: true, clearVideo: false });
    await post('models/sim/both/update', { name: 'Both' });
    expect(lastEdit()!.request).toMatchObject({ clearImage: false, clearVideo: false });
  });

  test('get aliases at creation or update, and keep them otherwise', async () => {
    await post('models/sim/chat/update', { name: 'Chat' });
    expect(lastEdit()!.request).toMatchObject({ setAliases: false });
    const changed = await post('models/sim/chat/update', { aliases: ['sim/chat-latest', 'Talk'] });
    expect(changed.body.aliases).toEqual(['sim/chat-latest', 'Talk']);
    expect(lastEdit()!.request).toMatchObject({
      setAliases: true,
      model: { aliases: ['sim/chat-latest', 'Talk'] },
    });
    const refused = await post('models/sim/chat/update', { aliases: ['sim/a/b'] });
    expect([refused.status, refused.body.error.code]).toEqual([400, 'invalid_request']);
  });

  test('prices without a source get the operator and today as their source', async () => {
    const before = new Date().toISOString().slice(0, 10);
    await post('models/sim/chat/prices', { tokens: { input: 1, output: 2 } });
    const { pricing } = lastEdit()!.request as { pricing: { source: string; sourceDate: string } };
    expect(pricing.source).toBe('set by an operator');
    expect([before, new Date().toISOString().slice(0, 10)]).toContain(pricing.sourceDate);
  });

  test('prices pass on if_version, if it is given', async () => {
    const tokens = { input: 1, output: 2 };
    expect((await post('models/sim/chat/prices', { tokens, if_version: 7 })).status).toBe(200);
    expect(lastEdit()?.request).toMatchObject({ slug: 'sim/chat', ifVersion: '7' });
    await post('models/sim/chat/prices', { tokens });
    expect(lastEdit()?.request).toMatchObject({ ifVersion: '0' });
    const { status, body } = await post('models/sim/chat/prices', { tokens, if_version: 6 });
    expect([status, body.error.code]).toEqual([400, 'invalid_request']);
    expect(body.error.detail).toContain('their version is 7');
  });

  test('are listed with fields that only operators see, including delisted models', async () => {
    const { data } = (await get('models')).body;
    const delisted = data.find(({ slug }: { slug: string }) => slug === 'sim/delisted');
    expect(delisted).toMatchObject({
      status: 'delisted',
      output_floor_tokens: 10,
      targets: [{ provider: 'sim', upstream_model: 'x', weight: 2, priority: 1 }],
    });
    const [first] = (await dashboard.get('models', owner.token)).body.data;
    expect(first).not.toHaveProperty('targets');
    expect(first).not.toHaveProperty('output_floor_tokens');
  });

  test.each(['sim/both', 'sim%2Fboth'])('an update of %s sends the whole entry', async (slug) => {
    const before = (await get('models/sim/both')).body;
    const { body } = await post(`models/${slug}/update`, { name: 'Renamed', capabilities: ['tools'] });
    expect(body).toEqual({ ...before, name: 'Renamed', capabilities: ['tools'] });
    const sent = lastEdit()!.request as { model: Record<string, unknown> };
    expect(sent.model).toMatchObject({
      slug: 'sim/both',
      name: 'Renamed',
      outputModalities: ['text', 'image'],
      contextLength: 1_000,
      outputFloorTokens: 10,
      targets: [{ provider: 'sim', upstreamModel: 'x', weight: 2, priority: 1 }],
      pricing: null,
    });
  });

  test('an update builds on the previous one, even if the stream has not delivered it yet', async () => {
    await post('models/sim/image/update', { name: 'First', preview: true });
    const { body } = await post('models/sim/image/update', { successor: 'sim/chat' });
    expect(body).toMatchObject({ name: 'First', preview: true, successor: 'sim/chat' });
    expect((await post('models/sim/image/update', { successor: null })).body.successor).toBeNull();
  });

  test('are disabled, enabled and delisted', async () => {
    for (const [path, body, status, successor] of [
      ['status', { status: 'disabled' }, 'MODEL_STATUS_DISABLED', ''],
      ['status', { status: 'active' }, 'MODEL_STATUS_ACTIVE', ''],
      ['delist', { successor: 'sim/both' }, 'MODEL_STATUS_DELISTED', 'sim/both'],
      ['delist', undefined, 'MODEL_STATUS_DELISTED', ''],
    ] as const) {
      expect((await post(`models/sim/video/${path}`, body)).status).toBe(200);
      expect(lastEdit()).toEqual({
        method: 'SetModelStatus',
        request: { slug: 'sim/video', status, successor },
      });
    }
    expect((await dashboard.get('models/sim/video', owner.token)).body.status).toBe('delisted');
  });

  const without = (field: string) => ({ ...NEW, [field]: undefined });
  test.each<[string, unknown, string, string | undefined]>([
    ['models', without('slug'), 'missing_parameter', 'slug'],
    ['models', without('name'), 'missing_parameter', 'name'],
    ['models', without('pricing'), 'missing_parameter', 'pricing'],
    ['models', { ...NEW, input_modalities: [] }, 'missing_parameter', 'input_modalities'],
    ['models', { ...NEW, targets: [{ provider: 'sim' }] }, 'missing_parameter', 'targets[0].upstream_model'],
    [
      'models',
      { ...NEW, pricing: { video: { tiers: ['a'] } } },
      'missing_parameter',
      'pricing.video.per_second',
    ],
    ['models', { ...NEW, slug: 'Sim/New' }, 'invalid_request', undefined],
    ['models', { ...NEW, status: 'delisted' }, 'invalid_request', undefined],
    ['models', { ...NEW, price: 1 }, 'invalid_request', undefined],
    [
      'models',
      { ...NEW, targets: [{ provider: 'sim', upstream_model: 'x', url: 'y' }] },
      'invalid_request',
      undefined,
    ],
    ['models', { ...NEW, context_length: -1 }, 'invalid_request', undefined],
    ['models', { ...NEW, image: { formats: ['png'], max_n: 1, n: 2 } }, 'invalid_request', undefined],
    ['models', { ...NEW, image: { formats: ['png'] } }, 'missing_parameter', 'image.max_n'],
    ['models', { ...NEW, video: { default_duration: '5' } }, 'invalid_request', undefined],
    ['models', { ...NEW, pricing: { tokens: { input: -1 } } }, 'invalid_request', undefined],
    ['models', { ...NEW, pricing: { tokens: { input: 1e-10 } } }, 'invalid_request', undefined],
    ['models', { ...NEW, pricing: { tokens: { input: '1' } } }, 'invalid_request', undefined],
    ['models', { ...NEW, pricing: { source_date: 'today' } }, 'invalid_request', undefined],
    ['models/sim/chat/update', { slug: 'sim/other' }, 'invalid_request', undefined],
    ['models/sim/chat/update', { status: 'disabled' }, 'invalid_request', undefined],
    ['models/sim/chat/update', { name: null }, 'invalid_request', undefined],
    ['models/sim/chat/status', {}, 'missing_parameter', 'status'],
    ['models/sim/chat/status', { status: 'delisted' }, 'invalid_request', undefined],
    ['models/sim/chat/delist', { successor: 'chat' }, 'invalid_request', undefined],
    ['models/sim/chat/prices', { currency: 'EUR' }, 'invalid_request', undefined],
    ['models/sim/chat/prices', { if_version: '7' }, 'invalid_request', undefined],
    ['models/sim/chat/prices', { if_version: 0 }, 'invalid_request', undefined],
    ['models', { ...NEW, pricing: { ...NEW.pricing, if_version: 7 } }, 'invalid_request', undefined],
  ])('%s refuses the body %p', async (path, body, code, param) => {
    const { status, body: answer } = await post(path, body);
    expect([status, answer.error?.code, answer.error?.param]).toEqual([400, code, param]);
    expect(world.catalog.edits).toEqual([]);
  });
});
