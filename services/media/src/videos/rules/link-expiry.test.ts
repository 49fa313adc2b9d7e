import { expect, test } from '@jest/globals';
import { linkExpiryMs } from './link-expiry';

test.each([
  ['https://a.test/v.mp4?Expires=1800000000&OSSAccessKeyId=x', 1_800_000_000_000],
  ['https://a.test/v.mp4?X-Amz-Date=20270115T080000Z&X-Amz-Expires=3600', Date.UTC(2027, 0, 15, 9)],
  ['https://a.test/v.mp4?X-Goog-Date=20270115T080000Z&X-Goog-Expires=60', Date.UTC(2027, 0, 15, 8, 1)],
  ['https://a.test/v.mp4?x-oss-date=20270115T080000Z&x-oss-expires=60', Date.UTC(2027, 0, 15, 8, 1)],
  ['https://a.test/v.mp4', undefined],
  ['https://a.test/v.mp4?Expires=soon', undefined],
  ['https://a.test/v.mp4?X-Amz-Date=20271332T080000Z&X-Amz-Expires=60', undefined],
  ['https://a.test/v.mp4?X-Amz-Expires=60', undefined],
])('reads the expiry time of %s', (link, ms) => expect(linkExpiryMs(link)).toBe(ms));
