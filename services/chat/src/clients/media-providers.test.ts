import { GatewayError } from '@gateway/errors';
import { createLogger } from '@gateway/process';
import type { ProtoGrpcType } from '@gateway/proto/generated/media';
import { createGrpcClient, loadService, sharedSecret, startGrpcServer, unary } from '@gateway/rpc';
import { expect, test } from '@jest/globals';
import { MediaProviders } from './media-providers';

const SECRET = 'a-secret-for-tests-only';
const log = createLogger('test', 'silent');

/** Media's response to chat's request for the providers that it serves. */
async function askMedia(
  answer: () => { providers: { id: string }[] },
  check: (media: MediaProviders) => void,
) {
  const { MediaService } = loadService<ProtoGrpcType>('media').gateway.media.v1;
  const { ListProviders } = MediaService.service;
  const server = await startGrpcServer({
    host: '127.0.0.1',
    port: 0,
    trust: sharedSecret('media', SECRET),
    services: [
      {
        definition: { ListProviders },
        handlers: { ListProviders: unary(log, async () => answer()) },
      },
    ],
  });
  const addresses = [`127.0.0.1:${server.port}`];
  const client = createGrpcClient(MediaService, { addresses, trust: sharedSecret('chat', SECRET) });
  const media = new MediaProviders(client, log);
  try {
    expect(media.serves('kling')).toBe(true);
    await media.firstAnswer;
    check(media);
  } finally {
    await media.close();
    client.close();
    await server.stop(0);
  }
}

test('reports the providers that media lists, and every provider until media has answered', () =>
  askMedia(
    () => ({ providers: [{ id: 'openai' }, { id: 'sim' }] }),
    (media) => expect(['openai', 'sim', 'kling'].map(media.serves)).toEqual([true, true, false]),
  ));

test('reports every provider while media does not answer', () =>
  askMedia(
    () => {
      throw new GatewayError('internal_error');
    },
    (media) => expect(media.serves('kling')).toBe(true),
  ));
