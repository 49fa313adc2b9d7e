import type { Customer, System } from './system';

interface ImagePrices {
  readonly per_image?: readonly { size?: string; quality?: string; price: number }[];
  readonly text_input?: number;
  readonly image_input?: number;
  readonly image_output?: number;
  readonly input_megapixel?: number;
}

/** Parts of a nano-USD, so that prices per token are integers. */
const THOUSANDTHS = 1_000n;
const perToken = (usdPerMillion = 0) => BigInt(Math.round(usdPerMillion * 1_000_000));

/** Returns the cost of an image call by the simulator's meter at catalog prices; 0 if it was not served. */
export async function meteredImageNano(system: System, customer: Customer, slug: string, requestId: string) {
  const { pricing }: { pricing: { image: ImagePrices } } = await system.dashboard.call(
    'GET',
    `models/${slug}`,
    customer.token,
  );
  const { entries } = await system.meter({ requestId });
  return entries.reduce((sum, { media, prompt_tokens, completion_tokens }) => {
    const { images = 0, size = '', quality = '', input_image_tokens = 0, uploads = [] } = media ?? {};
    const { per_image: rows = [], ...tokens } = pricing.image;
    if (rows.length > 0) {
      if (images === 0) return sum;
      const megapixels = uploads.reduce((total, { megapixels = 0 }) => total + megapixels, 0);
      const sent = BigInt(megapixels) * nanoOf(tokens.input_megapixel ?? 0);
      return sum + BigInt(images) * priceOf(rows, size ?? '', quality ?? '') + sent;
    }
    const total =
      BigInt(prompt_tokens - input_image_tokens) * perToken(tokens.text_input) +
      BigInt(input_image_tokens) * perToken(tokens.image_input) +
      BigInt(completion_tokens) * perToken(tokens.image_output);
    return sum + (total + THOUSANDTHS - 1n) / THOUSANDTHS;
  }, 0n);
}

function priceOf(rows: NonNullable<ImagePrices['per_image']>, size: string, quality: string): bigint {
  const fits = (wanted: string | undefined, is: string) => !wanted || wanted === is;
  const row = rows.find((each) => fits(each.size, size) && fits(each.quality, quality));
  if (!row) throw new Error(`no price for ${size} ${quality}`);
  return nanoOf(row.price);
}

const nanoOf = (usd: number): bigint => BigInt(Math.round(usd * 1e9));
